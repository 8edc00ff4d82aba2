// Firefox for the tests: one JSON request per line on stdin, one JSON answer per line on stdout.
//   {"op": "open", "address": ..., "width": 1280, "height": 900}   opens a page, closing the one before
//   {"op": "evaluate", "source": "(x) => ...", "given": ...}       its value
//   {"op": "wrong"}                                                what the page did that it should not
import { createInterface } from "node:readline";
import puppeteer from "puppeteer-core";

const executablePath = process.argv[2] ?? "firefox-esr";
const browser = await puppeteer.launch({ browser: "firefox", executablePath, headless: true });
const LOCAL = /^(file|data|blob|about|moz-extension|resource|chrome):/;
let page = null;
let wrong = [];

const OPS = {
  async open({ address, width = 1280, height = 900 }) {
    await page?.close();
    wrong = [];
    page = await browser.newPage();
    page.on("pageerror", (error) => wrong.push(String(error.message ?? error)));
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("request", (request) => LOCAL.test(request.url()) || wrong.push(request.url()));
    await page.setViewport({ width, height });
    await page.goto(address);
    return browser.version();
  },
  // a string, so that no bundler's helper is looked for in the page
  evaluate: ({ source, given = null }) => page.evaluate(`(${source})(${JSON.stringify(given)})`),
  wrong: () => wrong,
};

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify({ value: (await OPS[asked.op](asked)) ?? null })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error) })}\n`);
  }
}
await browser.close();
