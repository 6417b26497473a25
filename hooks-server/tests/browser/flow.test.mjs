// One person's way through the console: by mouse, by keys alone, and without scripts.

import assert from "node:assert/strict";
import { test } from "node:test";
import { demo, launch } from "./common.mjs";

const EVENT = JSON.stringify({ event: "BeforeToolCall", name: "Bash", args: { command: "rm -r build" } });

/** By mouse. */
const mouse = {
  click: (at) => at.click(),
  fill: (at, text) => at.fill(text),
  choose: (at, word) => at.selectOption(word),
};

/** Goes on with Tab until an element has the focus, as a person without a mouse does. */
const focus = async (at) => {
  const page = at.page();
  for (let presses = 0; presses < 400; presses += 1) {
    if (await at.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab never comes to ${at}`);
};

/** By keys alone. */
const keys = {
  click: async (at) => {
    await focus(at);
    await at.page().keyboard.press("Enter");
  },
  fill: async (at, text) => {
    await focus(at);
    await at.page().keyboard.press("Control+A");
    await at.page().keyboard.press("Delete");
    await at.page().keyboard.insertText(text);
  },
  choose: async (at, word) => {
    await focus(at);
    await at.page().keyboard.type(word);
  },
};

/** Loads a page again until it shows something. */
const until = async (page, address, at) => {
  for (let tries = 0; tries < 60; tries += 1) {
    await page.goto(address);
    if (await at.count()) return;
    await page.waitForTimeout(500);
  }
  assert.fail(`${address} never shows ${at}`);
};

const flow = async (hands, options) => {
  const [daemon, browser] = await Promise.all([demo(), launch()]);
  try {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const wrong = [];
    page.on("pageerror", (error) => wrong.push(error.message));
    const go = (name) => hands.click(page.locator("header nav").getByRole("link", { name }));
    const field = (name) => page.locator(`#edit [name="${name}"]:not([type=hidden])`);

    await page.goto(daemon.login);
    await until(page, `${daemon.origin}/executions`, page.locator("tr").filter({ hasText: "rm -r build" }));
    await page.goto(daemon.origin);
    await hands.click(page.getByRole("link", { name: "New hook" }));
    await page.waitForURL("**/hook/new");
    await hands.fill(field("name"), "no-rm");
    await hands.fill(field("tools"), "Bash");
    await hands.fill(field("if"), "args.command.startsWith('rm')");
    await hands.choose(field("kind"), "modify");
    await hands.fill(field("modify"), '{ "command": "ls build" }');

    // What it would change, side by side.
    await hands.fill(field("trial"), EVENT);
    await hands.click(page.getByRole("button", { name: "Try it" }));
    await page.locator("#tried td.added").filter({ hasText: "ls build" }).waitFor();

    // It shall block instead.
    await hands.choose(field("kind"), "block");
    await hands.fill(field("rule"), "nothing is removed");
    await hands.click(page.getByRole("button", { name: "Try it" }));
    await page.locator("#tried").getByText("nothing is removed").waitFor();
    // The events of the past, judged while it is typed.
    if (options.javaScriptEnabled !== false) {
      await page.locator("#past li").filter({ hasText: "rm -r build" }).first().waitFor();
    }
    await hands.click(page.getByRole("button", { name: "Save", exact: true }));
    await page.waitForURL(/hook\/(?!new)/);

    await go("Order");
    await page.waitForURL(`${daemon.origin}/`);
    await page.locator("tr[data-hook=no-rm]").getByText("new", { exact: true }).waitFor();
    await hands.choose(page.locator("select[name=of]"), "draft");
    await hands.click(page.getByRole("button", { name: "Apply" }));
    await page.getByRole("link", { name: "no-rm" }).waitFor();

    await go("Publish");
    await page.waitForURL("**/publish");
    await hands.fill(page.getByLabel("Reason (shown in the list of revisions)"), "nobody removes the build");
    if (options.javaScriptEnabled !== false) {
      await page.getByRole("button", { name: /^Publish 1 change: blocks [1-9]\d* of the last \d+, [1-9]\d* more than now$/ }).waitFor();
      assert.equal(await page.locator("#comment").inputValue(), "nobody removes the build");
    }
    await hands.click(page.getByRole("button", { name: "Publish 1 change" }));
    await page.getByText("Published: agents follow now.").waitFor();

    // The agent of the demo removes the build every four seconds.
    const blocked = page.locator("tr").filter({ hasText: "nothing is removed" }).locator("a.row");
    await until(page, `${daemon.origin}/executions?hook=no-rm&decision=block`, blocked);
    await hands.click(blocked.first());
    await page.getByText("Final decision: block by no-rm: nothing is removed").waitFor();
    await page.locator("ol.steps li").filter({ hasText: "no_sudo" }).getByText("continue").waitFor();
    await hands.click(page.getByRole("link", { name: "Open in the simulator" }));
    await page.getByRole("heading", { name: "Decision block" }).waitFor();
    await page.getByText("nothing is removed").first().waitFor();

    await go("Publish");
    await hands.click(page.getByRole("link", { name: "Revision 1", exact: true }));
    await page.waitForURL("**/revisions/1");
    await hands.fill(page.getByLabel("Reason"), "too strict");
    await hands.click(page.getByRole("button", { name: "Make revision 1 live again" }));
    await page.getByText("Revision 1 is live again, as revision 3.").waitFor();
    await go("Order");
    await page.waitForURL(`${daemon.origin}/`);
    assert.equal(await page.getByRole("link", { name: "no-rm" }).count(), 0);
    assert.deepEqual(wrong, []);
  } finally {
    await browser.close();
    daemon.end();
  }
};

test("a hook is made, tried, published, seen at work and taken back, by mouse", () => flow(mouse, {}));
test("the same, by keys alone", () => flow(keys, {}));
test("the same, without scripts", () => flow(mouse, { javaScriptEnabled: false }));
