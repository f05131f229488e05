import { AsyncResource } from "node:async_hooks";
import { existsSync } from "node:fs";
import { after, type TestContext } from "node:test";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

/**
 * The shell is the same engine without the user interface of a desktop browser, and uses a fraction
 * of the processor time.
 */
const PLACES = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/snap/bin/chromium",
];

/** The system's Chromium, or null if there is none. */
const CHROMIUM = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path)) ?? null;

/**
 * The reason why tests in a browser do not run here, or false if they do. In CI they run without a
 * browser too, and fail.
 */
export const NO_BROWSER: string | false =
  CHROMIUM === null && process.env["CI"] === undefined ? `there is no Chromium (${PLACES.join(", ")})` : false;

let running: Promise<Browser> | null = null;

/**
 * Returns the headless browser of all tests in this process. It starts at the first call, and ends
 * after the last test.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (CHROMIUM === null) throw new Error(`Chromium is wanted here (${PLACES.join(", ")}, or the variable CHROMIUM)`);
  running ??= chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"] });
  return running;
}

after(async () => {
  const browser = await running;
  running = null;
  await browser?.close();
});

/**
 * Opens a page for one test, which shares neither cookies nor storage with another page. Errors of
 * its scripts fail the test.
 */
export async function openPage(test: TestContext, options?: BrowserContextOptions): Promise<Page> {
  const context = await (await sharedBrowser()).newContext(options);
  test.after(() => context.close());
  const page = await context.newPage();
  // The browser's events belong to the test that started it. An error that is thrown from a
  // separate task fails the test that opened the page.
  const fail = AsyncResource.bind((error: Error) => {
    setImmediate(() => {
      throw error;
    });
  });
  page.on("pageerror", fail);
  return page;
}
