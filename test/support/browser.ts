import { existsSync } from "node:fs";
import type { TestContext } from "node:test";
import { type Browser, chromium, type Page } from "playwright-core";

const PLACES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome", "/snap/bin/chromium"];

/** The system's Chromium, or null where there is none. */
export const CHROMIUM = process.env["CHROMIUM"] ?? PLACES.find((path) => existsSync(path)) ?? null;

/** Why tests in a browser do not run here; false where they do. In CI they run, and fail, also without a browser. */
export const NO_BROWSER: string | false =
  CHROMIUM === null && process.env["CI"] === undefined ? `there is no Chromium (${PLACES.join(", ")})` : false;

/** A page in a headless browser of the test's own. Errors of the page's scripts fail the test. */
export async function openPage(test: TestContext): Promise<Page> {
  const [page] = await openPages(test, 1);
  if (page === undefined) throw new Error("no page was opened");
  return page;
}

/** Several of them in one browser, which share neither cookies nor storage. */
export async function openPages(test: TestContext, count: number): Promise<Page[]> {
  if (CHROMIUM === null) throw new Error(`Chromium is wanted here (${PLACES.join(", ")}, or the variable CHROMIUM)`);
  const browser: Browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
  test.after(() => browser.close());
  return Promise.all(
    Array.from({ length: count }, async () => {
      const page = await browser.newPage();
      page.on("pageerror", (error) => {
        throw error;
      });
      return page;
    }),
  );
}
