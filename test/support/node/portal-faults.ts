import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/** Adds to `faults` what no page of the portal at `origin` may cause, from the next load on. */
export async function watchFaults(page: Page, origin: string, faults: string[]): Promise<void> {
  page.on("console", (message) => {
    // What the browser says of an answer that is an error on purpose.
    const isAnswer = /^Failed to load resource: the server responded with a status of [45]\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const address = new URL(request.url());
    if (address.origin !== origin && !["data:", "blob:"].includes(address.protocol)) faults.push(`request to ${address.origin}`);
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => console.error("policy", violatedDirective, blockedURI));`,
  );
}

let axe: Promise<string> | null = null;

/**
 * How a page is looked at: in each theme once, and at each width once. A theme changes nothing but
 * colours, and a width nothing but the layout.
 */
export const LOOKS = [
  ["light", 1_280],
  ["dark", 360],
] as const;

/** A page in Italian has the elements of the English one: only its words, which are longer, are looked at. */
export const IS_ENGLISH = 'document.documentElement.lang === "en"';

/** Whether the page is no wider than its window, as an expression. */
export const FITS = "document.documentElement.scrollWidth <= innerWidth";

/** Violations of WCAG A and AA, each as one line. Evaluated over the debugger: a script tag would be against the page's policy. */
export async function axeViolations(page: Page): Promise<string[]> {
  axe ??= readFile(new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  // Once for each load of the page: half a megabyte to read.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axe);
  const lines = await violationsNow(page);
  // A control that changed its state meanwhile had other colours on its way: only what is still there at a second look is a violation.
  return lines.length === 0 ? lines : await violationsNow(page);
}

async function violationsNow(page: Page): Promise<string[]> {
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))",
  );
  const found: string = await page.evaluate(
    `axe.run({ resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary))))`,
  );
  const lines: string[] = JSON.parse(found);
  return lines;
}
