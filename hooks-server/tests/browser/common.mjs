// A daemon with the demo, a browser, and somebody who is logged in.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

/** Starts the demo on an address of its own. */
export async function demo() {
  const daemon = spawn(process.env.HOOKS, ["serve", "--demo", "--listen", "127.0.0.1:0", "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: daemon.stdout })) {
    const { listen, login, token } = JSON.parse(line);
    return { origin: `http://${listen}`, login, token, end: () => daemon.kill("SIGINT") };
  }
  throw new Error("the daemon has ended");
}

export const launch = () => chromium.launch({ executablePath: process.env.BROWSER, args: ["--no-sandbox"] });

/** Logs in by the link that works once, and returns what a new context of the browser needs to be logged in. */
export async function loggedIn(browser, login) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(login);
  const state = await context.storageState();
  await context.close();
  return state;
}

/** Opens a page that collects what must not happen: messages of the console, errors, and requests to other hosts. */
export async function watched(context, origin) {
  const page = await context.newPage();
  const wrong = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) wrong.push(message.text());
  });
  page.on("pageerror", (error) => wrong.push(error.message));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) wrong.push(`a request to ${url}`);
  });
  return { page, wrong };
}
