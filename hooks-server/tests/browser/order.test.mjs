// The order with a draft: by keys, by mouse, on a phone, and long lists.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { demo, launch, loggedIn, watched } from "./common.mjs";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");

const LONG = "n".repeat(200);

let daemon, browser, state;

before(async () => {
  [daemon, browser] = await Promise.all([demo(), launch()]);
  state = await loggedIn(browser, daemon.login);
  const context = await browser.newContext({ storageState: state });
  const condition = Array.from({ length: 30 }, (_, at) => `args.command != 'word ${at}'`).join(" && ");
  for (const hook of [
    { name: "a", event: "BeforeToolCall", tools: ["a"], block: "no" },
    { name: LONG, event: "BeforeToolCall", tools: ["b"], if: condition, block: "no" },
    { name: "turned\u202ename", event: "BeforeToolCall", tools: ["c"], block: "no" },
    ...Array.from({ length: 40 }, (_, at) => ({ name: `many-${at}`, event: "BeforeStop", context: "no" })),
  ]) {
    // The values are written alike in JSON and in TOML.
    const toml = Object.entries(hook).map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join("\n");
    const form = { do: "save", view: "toml", toml };
    const made = await context.request.post(`${daemon.origin}/hook/new`, { form, maxRedirects: 0 });
    assert.equal(made.status(), 303, await made.text());
  }
  await context.close();
});

after(async () => {
  await browser?.close();
  daemon?.end();
});

const opened = async (options) => {
  const context = await browser.newContext({ storageState: state, bypassCSP: true, ...options });
  return [context, ...Object.values(await watched(context, daemon.origin))];
};

const names = (page) => page.locator("#rows tbody tr").evaluateAll((rows) => rows.map((row) => row.dataset.hook));

test("a hook moves by one with Alt and an arrow, keeps the focus, and says where it is", async () => {
  // All rows are on the screen: a page that scrolls meanwhile drags another one.
  const [context, page, wrong] = await opened({ viewport: { width: 1280, height: 1600 } });
  await page.goto(`${daemon.origin}/?of=draft`);
  const first = await names(page);
  await page.locator("tr[data-hook=look] a.row").focus();
  for (const moves of [1, 2]) {
    await page.keyboard.press("Alt+ArrowUp");
    await page.waitForURL(/done=up#hook-/);
    await page.waitForFunction(
      (place) => document.getElementById("said").textContent === `moved up: now ${place} of 7`,
      first.indexOf("look") + 1 - moves,
    );
    assert.equal(await page.evaluate(() => document.activeElement.closest("tr").dataset.hook), "look");
    assert.equal((await names(page)).indexOf("look"), first.indexOf("look") - moves);
    if (moves === 1) await page.evaluate(() => history.replaceState(null, "", "/?of=draft"));
  }
  const others = (list) => list.filter((name) => name !== "look");
  assert.deepEqual(others(await names(page)), others(first));
  await page.locator("tr[data-hook=a]").dragTo(page.locator("tr[data-hook=look]"), { sourcePosition: { x: 5, y: 5 } });
  await page.waitForURL(/done=up#hook-/);
  await page.locator("tr[data-hook=a] a.row:focus").waitFor();
  const list = await names(page);
  assert.equal(list.indexOf("a") + 1, list.indexOf("look"));
  assert.deepEqual(wrong, []);
  await context.close();
});

test("what is chosen shows at once, and the choice keeps the focus", async () => {
  const [context, page, wrong] = await opened();
  await page.goto(daemon.origin);
  await page.locator("#event").selectOption({ label: "BeforeStop (40)" });
  await page.waitForURL(/event=BeforeStop/);
  await page.locator("#event:focus").waitFor();
  assert.equal((await names(page)).length, 40);
  assert.deepEqual(wrong, []);
  await context.close();
});

test("a way with many hooks shows the first ones, and how many more", async () => {
  const [context, page, wrong] = await opened();
  await page.goto(`${daemon.origin}/?event=BeforeStop&of=draft`);
  assert.equal(await page.locator(".lane g").count(), 30);
  await page.locator(".lane text").getByText("and 10 more").waitFor();
  await page.goto(daemon.origin);
  assert.equal(await page.locator(".lane .again").count(), 1, "a guard checks again after dry-run");
  assert.deepEqual(wrong, []);
  await context.close();
});

for (const colorScheme of ["light", "dark"]) {
  for (const width of [1280, 390]) {
    test(`long names, long conditions and many changes fit, ${colorScheme}, ${width} pixels wide`, async () => {
      const [context, page, wrong] = await opened({ colorScheme, viewport: { width, height: 800 } });
      for (const [name, path] of [["order", "/?of=draft"], ["publish", "/publish"]]) {
        await page.goto(daemon.origin + path);
        const isTooWide = await page.evaluate(() => {
          const tables = [...document.querySelectorAll(".scroll:not(.lane)")];
          return [document.documentElement, ...tables].some((element) => element.scrollWidth > element.clientWidth + 1);
        });
        assert.ok(!isTooWide, `${path} is wider than the screen`);
        await page.screenshot({ path: `${process.env.PICTURES}/long-${name}-${colorScheme}-${width}.png`, fullPage: true });
        await page.evaluate(AXE);
        const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
        assert.deepEqual(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target)}`), []);
      }
      await page.getByText("43 are new").or(page.getByText("are new")).first().click();
      await page.locator("details.panel summary").first().click();
      const sign = await page.locator("td.added").first().evaluate((cell) => getComputedStyle(cell, "::before").content);
      assert.equal(sign, '"+"');
      assert.ok(await page.getByRole("button", { name: /^Publish \d+ changes/ }).evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      }), "the button is on the screen, wherever the page is");
      await page.goto(`${daemon.origin}/?of=draft`);
      const cut = page.locator("details.cut summary");
      assert.ok((await cut.boundingBox()).height < 80);
      await cut.click();
      assert.ok((await cut.boundingBox()).height > 80);
      if (width === 390) {
        assert.ok((await page.locator("header.top").boundingBox()).height <= 70);
        assert.equal(await page.locator("form.filter").isVisible(), false);
        await page.getByText("Choose", { exact: true }).click();
        assert.ok(await page.locator("form.filter").isVisible());
        const label = await page.locator("#rows td").nth(2).evaluate((cell) => getComputedStyle(cell, "::before").content);
        assert.match(label, /Runs/);
      }
      assert.deepEqual(wrong, []);
      await context.close();
    });
  }
}
