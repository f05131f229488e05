import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";

/**
 * Collects in `faults` whatever no page of the portal at `origin` may cause, from the next load on.
 */
export async function watchFaults(page: Page, origin: string, faults: string[]): Promise<void> {
  page.on("console", (message) => {
    // The browser reports an intended error answer like this.
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
 * The themes and widths in which a page is checked, each once. A theme changes only colours, and a
 * width changes only the layout.
 */
export const LOOKS = [
  ["light", 1_280],
  ["dark", 360],
] as const;

/** A phone, a tablet on its end and on its side, and a desk: no page is wider than any of them. */
export const WIDTHS = [390, 768, 1_024, 1_440] as const;

/** A page in Italian has the elements of the English one. Only its longer words are checked. */
export const IS_ENGLISH = 'document.documentElement.lang === "en"';

/** An expression that is true if the page is no wider than its window. */
export const FITS = "document.documentElement.scrollWidth <= innerWidth";

/**
 * Returns violations of WCAG A and AA, each as one line. The debugger evaluates the script, since
 * the page's policy forbids a script tag.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  axe ??= readFile(new URL("../../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  // The script has half a megabyte and is read once for each load of the page.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axe);
  const lines = await violationsNow(page);
  // A control that is changing its state has intermediate colours. Only violations that a second
  // check finds again count.
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
