import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import { bind } from "../../../../http/endpoint/endpoint.ts";
import { portalEndpoints } from "../../../../http/web/portal-endpoints.ts";
import { loadPortal } from "../../../../http/web/portal-files.ts";
import { openPage } from "../../../support/browser.ts";
import { envelope, startWorld } from "../../server/world.ts";

/** Made once for all tests of a file. */
const files = loadPortal();

/** The portal's pages on a server of their own, and a browser. `faults` are what no page may cause. */
export interface PortalPage {
  url: string;
  page: Page;
  /** Errors in the console, reports of the policy, and requests to other hosts. */
  faults: string[];
  show(theme: "light" | "dark", widthPx: number): Promise<void>;
}

export async function openPortal(t: TestContext): Promise<PortalPage> {
  const { url } = await startWorld(t, { endpoints: bind(portalEndpoints(envelope), { portalFiles: await files }) });
  const page = await openPage(t);
  const faults: string[] = [];
  page.on("console", (message) => {
    // What the browser says of an answer that is an error on purpose.
    const isAnswer = /^Failed to load resource: the server responded with a status of [45]\d\d/.test(message.text());
    if (["error", "warning"].includes(message.type()) && !isAnswer) faults.push(`console: ${message.text()}`);
  });
  page.on("request", (request) => {
    const address = new URL(request.url());
    if (address.origin !== url && !["data:", "blob:"].includes(address.protocol)) faults.push(`request to ${address.origin}`);
  });
  await page.addInitScript(
    `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) => console.error("policy", violatedDirective, blockedURI));`,
  );
  return {
    url,
    page,
    faults,
    show: async (theme, widthPx) => {
      await page.setViewportSize({ width: widthPx, height: widthPx < 600 ? 780 : 860 });
      await page.emulateMedia({ colorScheme: theme });
    },
  };
}

let axe: Promise<string> | null = null;

/** Violations of WCAG A and AA, each as one line. Evaluated over the debugger: a script tag would be against the page's policy. */
export async function axeViolations(page: Page): Promise<string[]> {
  axe ??= readFile(new URL("../../../../node_modules/axe-core/axe.min.js", import.meta.url), "utf8");
  await page.evaluate(await axe);
  // What moves has other colours on its way.
  await page.evaluate(
    "Promise.all(document.getAnimations().filter((one) => one.effect.getTiming().iterations !== Infinity).map((one) => one.finished))",
  );
  const found: string = await page.evaluate(
    `axe.run({ runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] } }).then(({ violations }) =>
      JSON.stringify(violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + " " + target.join(" ") + ": " + failureSummary))))`,
  );
  const lines: string[] = JSON.parse(found);
  return lines;
}
