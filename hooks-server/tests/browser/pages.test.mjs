// Every page, in both schemes and two widths, and without scripts.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { demo, launch, loggedIn, watched } from "./common.mjs";
import { PAGES } from "./pages.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

let daemon, browser, state, hook;

const address = (path) => daemon.origin + path.replace("{hook}", hook);

before(async () => {
  [daemon, browser] = await Promise.all([demo(), launch()]);
  state = await loggedIn(browser, daemon.login);
  const context = await browser.newContext({ storageState: state });
  const page = await context.newPage();
  await page.goto(daemon.origin);
  hook = await page.locator("a.row").first().getAttribute("href");
  // A draft, so that there is something to publish.
  const toml = `name = "no-rm"\nevent = "BeforeToolCall"\ntools = ["Bash"]\nif = "Bash(rm *)"\nblock = "nothing is removed"`;
  await context.request.post(`${daemon.origin}/hook/new`, { form: { do: "save", view: "toml", toml } });
  await context.close();
  // The agent of the demo has run every hook after four seconds.
  await new Promise((resolve) => setTimeout(resolve, 5000));
});

after(async () => {
  await browser?.close();
  daemon?.end();
});

const findings = async (page) => {
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target).join(" ")}`);
};

for (const scheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`every page, ${scheme}, ${width} pixels wide`, async (context) => {
      const opened = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme: scheme,
        storageState: state,
        bypassCSP: true,
      });
      for (const [name, path] of PAGES) {
        await context.test(name, async () => {
          const { page, wrong } = await watched(opened, daemon.origin);
          const response = await page.goto(address(path));
          assert.equal(response.status(), 200);
          // What a page loads by itself.
          const asks = page.locator("[hx-trigger^=load]");
          if (await asks.count()) await page.locator("#past p, #replay .badge").first().waitFor();
          assert.equal(await page.locator("h1").count(), 1);
          const wide = await page.evaluate(() => {
            const wider = (element) => element.getBoundingClientRect().right > innerWidth && !element.closest(".scroll");
            if (document.documentElement.scrollWidth <= innerWidth) return [];
            return ["the page", ...[...document.querySelectorAll("body *")].filter(wider).map((element) => element.outerHTML)];
          });
          assert.deepEqual(wide, [], "what is wider than the screen");
          await page.screenshot({ path: `${process.env.PICTURES}/${name}-${scheme}-${width}.png`, fullPage: true });
          assert.deepEqual(await findings(page), []);
          assert.deepEqual(wrong, []);
          await page.close();
        });
      }
      await opened.close();
    });
  }
}

test("the policy of the pages forbids nothing that they need", async () => {
  const opened = await browser.newContext({ storageState: state });
  for (const [, path] of PAGES) {
    const { page, wrong } = await watched(opened, daemon.origin);
    await page.goto(address(path));
    await page.waitForTimeout(100);
    assert.deepEqual(wrong, [], path);
    await page.close();
  }
  await opened.close();
});

test("every page is whole without scripts", async () => {
  const opened = await browser.newContext({ storageState: state, javaScriptEnabled: false });
  const page = await opened.newPage();
  for (const [, path] of PAGES) {
    const response = await page.goto(address(path));
    assert.equal(response.status(), 200, path);
    assert.ok((await page.locator("h1").textContent()).trim(), path);
    for (const form of await page.locator("form:not([method=dialog])").all()) {
      assert.ok(await form.locator("button").count(), `a form of ${path} has no button`);
    }
  }
  await opened.close();
});

test("the first page is small: at most 60 KB and 5 requests", async () => {
  const opened = await browser.newContext({ storageState: state });
  const page = await opened.newPage();
  const network = await opened.newCDPSession(page);
  await network.send("Network.enable");
  let bytes = 0;
  let requests = 0;
  network.on("Network.loadingFinished", ({ encodedDataLength }) => {
    bytes += encodedDataLength;
    requests += encodedDataLength > 0;
  });
  await page.goto(daemon.origin);
  await page.waitForLoadState("networkidle");
  console.log(`the first page: ${bytes} bytes, ${requests} requests`);
  assert.ok(bytes > 1000 && bytes <= 60_000, `${bytes} bytes`);
  assert.ok(requests <= 5, `${requests} requests`);
  await opened.close();
});

test("the order of a node has what is compiled, built in and stored, by way of the overview", async () => {
  const opened = await browser.newContext({ storageState: state });
  const { page, wrong } = await watched(opened, daemon.origin);
  await page.goto(`${daemon.origin}/overview`);
  await page.getByRole("link", { name: "demo agent" }).click();
  await page.waitForURL(/of=node:demo/);
  assert.equal(await page.locator("select[name=of] option:checked").textContent(), "agent “demo agent”");
  const row = (hook) => page.locator(`#rows tr[data-hook=${hook}]`);
  for (const [hook, handler, forms] of [
    ["no_sudo", "compiled", 0],
    ["BlockTools", "built-in", 0],
    ["no-force-push", "rule: block", 1],
  ]) {
    assert.equal(await row(hook).locator("code").first().textContent(), handler, hook);
    assert.equal(await row(hook).locator("form.priority").count(), forms, hook);
  }
  assert.equal(await row("no_sudo").locator("td").first().textContent(), "1");
  assert.deepEqual(wrong, []);
  await opened.close();
});

test("the search for executions offers the names of hooks as soon as its field has the focus", async () => {
  const context = await browser.newContext({ storageState: state });
  const { page, wrong } = await watched(context, daemon.origin);
  await page.goto(`${daemon.origin}/executions`);
  await page.locator("input[name=hook]").focus();
  await page.locator("datalist option[value=no-force-push]").waitFor({ state: "attached" });
  assert.deepEqual(wrong, []);
  await context.close();
});

test("keys go to pages, to rows and to the search", async () => {
  const opened = await browser.newContext({ storageState: state });
  const { page, wrong } = await watched(opened, daemon.origin);
  await page.goto(daemon.origin);
  const press = async (...keys) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await press("Escape");
  await press("/");
  assert.equal(await page.evaluate(() => document.activeElement.name), "q");
  await page.keyboard.type("gx");
  assert.equal(await page.locator("input[name=q]").inputValue(), "gx");
  await page.goto(daemon.origin);
  for (const [key, path] of [["s", "/simulator"], ["p", "/publish"], ["e", "/executions"], ["o", "/"]]) {
    await press("g", key);
    await page.waitForURL(daemon.origin + path);
  }
  // Why did this happen? The executions, a row, and it is open: three steps.
  await press("g", "e");
  await page.waitForURL("**/executions");
  await press("j", "Enter");
  await page.waitForURL(/executions\/\d+/);
  assert.deepEqual(wrong, []);
  await opened.close();
});

test("a live page shows what happens, without a request of a person", async () => {
  const opened = await browser.newContext({ storageState: state });
  const { page, wrong } = await watched(opened, daemon.origin);
  await page.goto(`${daemon.origin}/executions?live=1`);
  const newest = () => page.locator("a.row").first().getAttribute("href");
  const first = await newest();
  await page.waitForFunction(
    (first) => document.querySelector("a.row").getAttribute("href") !== first,
    first,
  );
  assert.notEqual(await newest(), first);
  assert.deepEqual(wrong, []);
  await opened.close();
});

test("on the form, no hint covers a field, and what is ticked and open stays", async () => {
  const opened = await browser.newContext({ storageState: state });
  const { page, wrong } = await watched(opened, daemon.origin);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto(`${daemon.origin}/hook/new`);
    await page.locator("#views summary").click();
    await page.locator("[name=priority]").fill("high");
    await page.locator("#wrong-priority .mistake").waitFor();
    for (const name of ["name", "tools", "if", "priority", "timeout", "guard"]) {
      await page.locator(`[name=${name}]`).focus();
      const covered = await page.evaluate(() => {
        const boxes = [...document.querySelectorAll(".field > :is(input, select, textarea, small, span)")];
        const shown = boxes.filter((box) => box.checkVisibility() && box.getBoundingClientRect().height);
        const rects = shown.map((box) => [box.id, box.getBoundingClientRect()]);
        return rects.flatMap(([one, a], index) =>
          rects.slice(index + 1).filter(([, b]) =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1,
          ).map(([other]) => `${one} and ${other}`));
      });
      assert.deepEqual(covered, [], `${name} at ${width} pixels`);
    }
    await page.getByRole("checkbox", { name: "AfterToolCall" }).check();
    await page.locator("#views summary").getByText("AfterToolCall").waitFor();
    assert.ok(await page.getByRole("checkbox", { name: "AfterToolCall" }).isChecked());
    assert.ok((await page.locator("#toml").inputValue()).includes('["BeforeToolCall", "AfterToolCall"]'));
  }
  assert.deepEqual(wrong, []);
  await opened.close();
});

test("a hook that blocks everything is saved only by somebody who says so, with and without scripts", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const opened = await browser.newContext({ storageState: state, javaScriptEnabled });
    const page = await opened.newPage();
    await page.goto(`${daemon.origin}/hook/new`);
    await page.locator("#edit [name=name]").fill(`all-${javaScriptEnabled}`);
    await page.locator("#edit [name=rule]").fill("nothing runs");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const sure = page.getByLabel("This blocks every tool call. Really?");
    await sure.check();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.waitForURL(/hook\/(?!new)/);
    await opened.close();
  }
});
