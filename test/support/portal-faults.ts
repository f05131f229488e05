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

const EVERYTHING = `{ type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] }`;
/** What another theme can break of a page that is otherwise the same. */
const COLOURS = `{ type: "rule", values: ["color-contrast", "link-in-text-block"] }`;

/** Whether the page is no wider than its window, as an expression. */
export const FITS = "document.documentElement.scrollWidth <= innerWidth";

/** Violations of WCAG A and AA, each as one line; with `of: "colours"` only of the rules that ask for colours. Evaluated over the debugger: a script tag would be against the page's policy. */
export async function axeViolations(page: Page, { of = "everything" }: { of?: "everything" | "colours" } = {}): Promise<string[]> {
  axe ??= readFile(new URL("../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  // Once for each load of the page: half a megabyte to read.
  if ((await page.evaluate("typeof axe")) === "undefined") await page.evaluate(await axe);
  // What moves has other colours on its way.
  await page.evaluate(
    "Promise.allSettled(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))",
  );
  const found: string = await page.evaluate(
    `axe.run({ resultTypes: ["violations"], runOnly: ${of === "colours" ? COLOURS : EVERYTHING} }).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary))))`,
  );
  const lines: string[] = JSON.parse(found);
  return lines;
}
