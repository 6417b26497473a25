// What happens when a session is over, and when the daemon is away: nothing that somebody has typed is lost.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { launch } from "./common.mjs";

let browser, store, token, daemon;

/** Starts a daemon on the store; on an address of before, if one is said. */
const start = async (listen = "127.0.0.1:0") => {
  const args = ["serve", "--store", store, "--tenant", "acme", "--listen", listen, "--json"];
  const child = spawn(process.env.HOOKS, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout })) {
    const { listen, login } = JSON.parse(line);
    const gone = new Promise((resolve) => child.once("exit", resolve));
    const end = async () => {
      child.kill("SIGINT");
      child.kill("SIGTERM");
      await gone;
    };
    return { listen, origin: `http://${listen}`, login, end };
  }
  throw new Error("the daemon has ended");
};

const judge = (command) =>
  fetch(`${daemon.origin}/hooks/claude`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ session_id: "s1", cwd: "/", hook_event_name: "PreToolUse", tool_name: "Bash", tool_input: { command }, tool_use_id: "1" }),
  });

before(async () => {
  store = `sqlite:${join(mkdtempSync(join(tmpdir(), "hooks-")), "hooks.db")}`;
  [daemon, browser] = await Promise.all([start(), launch()]);
  const made = ["token", "new", "--store", store, "--role", "owner", "--tenant", "acme"];
  token = execFileSync(process.env.HOOKS, made, { encoding: "utf8" }).trim();
});

after(async () => {
  await browser?.close();
  await daemon?.end();
});

const logIn = async (page) => {
  await page.goto(`${daemon.origin}/login`);
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.waitForURL(`${daemon.origin}/`);
};

const name = (page) => page.locator('#edit [name="name"]:not([type=hidden])');
const trouble = (page) => page.locator("#trouble");

test("a form stays when its session is over, and is saved after a login in another tab", async () => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await logIn(page);
  await page.goto(`${daemon.origin}/hook/new`);
  await name(page).fill("first");
  await context.clearCookies();
  await name(page).pressSequentially("-more");
  await trouble(page).getByText("You are logged out.").waitFor();
  assert.equal(await name(page).inputValue(), "first-more");
  await trouble(page).getByRole("button", { name: "Close" }).click();
  await trouble(page).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await trouble(page).getByText("You are logged out.").waitFor();
  assert.equal(page.url(), `${daemon.origin}/hook/new`);

  const [other] = await Promise.all([context.waitForEvent("page"), trouble(page).getByRole("link", { name: "Log in" }).click()]);
  await logIn(other);
  await name(page).fill("first");
  await page.locator('#edit [name="rule"]').fill("no");
  await page.locator('#edit [name="tools"]').fill("deploy");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/hook\/(?!new)/);
  await page.getByText("Saved in the draft.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("deleted this hook").waitFor();
  await context.close();
});

test("the same without scripts: the login shows the form again", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await logIn(page);
  await page.goto(`${daemon.origin}/hook/new`);
  await name(page).fill("second");
  await page.locator('#edit [name="rule"]').fill("no");
  await page.locator('#edit [name="tools"]').fill("deploy");
  await context.clearCookies();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByLabel("Token").fill(token);
  await page.getByRole("button", { name: "Log in" }).click();
  await page.getByRole("button", { name: "Show the form as it was" }).click();
  assert.equal(await name(page).inputValue(), "second");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved in the draft.").waitFor();
  await context.close();
});

test("a daemon that is away is told, and what came meanwhile is loaded", async () => {
  const context = await browser.newContext();
  const [live, form] = [await context.newPage(), await context.newPage()];
  await logIn(live);
  await live.goto(`${daemon.origin}/executions?live=1`);
  await live.getByText("New events show here").waitFor();
  await form.goto(`${daemon.origin}/hook/new`);
  await name(form).fill("kept");
  // The tail is connected when it shows what happens.
  await live.bringToFront();
  await judge("ls");
  await live.locator("a.row").first().waitFor();

  await daemon.end();
  await live.getByText(/Connection lost at .+\. Trying again …/).waitFor();
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await trouble(form).getByText("The server does not answer.").waitFor();
  assert.equal(await name(form).inputValue(), "kept");

  const rows = await live.locator("a.row").count();
  daemon = await start(daemon.listen);
  await judge("ls -l");
  await live.bringToFront();
  await live.getByText(/Back\. \d+ executions? came meanwhile\./).waitFor({ timeout: 60_000 });
  await live.waitForFunction((rows) => document.querySelectorAll("a.row").length > rows, rows);
  await form.getByRole("button", { name: "Save", exact: true }).click();
  await trouble(form).waitFor({ state: "hidden" });
  await context.close();
});
