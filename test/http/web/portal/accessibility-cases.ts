import assert from "node:assert/strict";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { WebAppName } from "../../../../http/web/bundle-web-app.ts";
import { axeViolations, FITS, IS_ENGLISH, LOOKS, WIDTHS } from "../../../support/node/portal-faults.ts";
import { eventually } from "../../../support/within.ts";
import { type FakeHandler, fakeRelay } from "./fake-relay.ts";
import { openPortals, type PortalPage } from "./portal-page.ts";

/** A page as it is looked at: what the relay says meanwhile, and what is to be seen. */
export interface AccessibilityCase {
  name: string;
  path: string;
  handlers: Readonly<Record<string, FakeHandler>>;
  /** Until it shows what is to be looked at. */
  until(page: Page): Promise<unknown>;
}

const INTERFACES = { portal: "/api/merchant", operators: "/admin" } as const;

/** Where pictures of all of them are wanted. */
const SHOTS = process.env["SHOTS"];

/** As many as a small machine has cores. */
const PAGES = 2;

/** Looks at each in both themes, one on a desk and one on a phone: nothing breaks WCAG A or AA, the policy of the pages or their width. */
export async function lookAtEvery(t: TestContext, app: WebAppName, cases: readonly AccessibilityCase[]): Promise<void> {
  const waiting = [...cases];
  const pages = await openPortals(t, app, PAGES);
  await Promise.all(
    pages.map(async (page) => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await lookAt(page, app, next);
    }),
  );
}

async function lookAt({ url, page, faults, show }: PortalPage, app: WebAppName, { name, path, handlers, until }: AccessibilityCase) {
  await page.unrouteAll();
  await fakeRelay(page, handlers, INTERFACES[app]);
  await show(...LOOKS[0]);
  await page.goto(url + path);
  await until(page);
  for (const [theme, width] of LOOKS) {
    const where = `${name}, ${theme}, ${width} px`;
    await show(theme, width);
    if (await page.evaluate(IS_ENGLISH)) assert.deepEqual(await axeViolations(page), [], where);
    // Charts take the new width with the next frame.
    await eventually(async () => assert.equal(await page.evaluate(FITS), true, `${where} is wider than its window`));
    assert.deepEqual(faults, [], where);
    if (SHOTS !== undefined) await page.screenshot({ path: join(SHOTS, `${where.replaceAll(/[^a-z0-9]+/gi, "-")}.png`) });
  }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await eventually(async () => assert.equal(await page.evaluate(FITS), true, `${name}, ${width} px is wider than its window`));
    for (const theme of SHOTS === undefined ? [] : (["light", "dark"] as const)) {
      await page.emulateMedia({ colorScheme: theme });
      await page.screenshot({ path: join(SHOTS ?? "", `${name.replaceAll(/[^a-z0-9]+/gi, "-")}-${width}-${theme}.png`) });
    }
  }
}
