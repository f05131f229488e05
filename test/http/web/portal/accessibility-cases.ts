import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Page } from "playwright-core";
import type { WebAppName } from "../../../../http/web/bundle-web-app.ts";
import { axeViolations } from "../../../support/portal-faults.ts";
import { type FakeHandler, fakeRelay } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

/** A page as it is looked at: what the relay says meanwhile, and what is to be seen. */
export interface AccessibilityCase {
  name: string;
  path: string;
  handlers: Readonly<Record<string, FakeHandler>>;
  /** Until it shows what is to be looked at. */
  until(page: Page): Promise<unknown>;
}

const INTERFACES = { portal: "/api/merchant", operators: "/admin" } as const;

/** Looks at each in both themes, on a desk and on a phone: nothing breaks WCAG A or AA, the policy of the pages or their width. */
export async function lookAtEvery(t: TestContext, app: WebAppName, cases: readonly AccessibilityCase[]): Promise<void> {
  const { url, page, faults, show } = await openPortal(t, app);
  for (const { name, path, handlers, until } of cases) {
    for (const [theme, width] of [
      ["light", 1_280],
      ["dark", 1_280],
      ["light", 360],
      ["dark", 360],
    ] as const) {
      const where = `${name}, ${theme}, ${width} px`;
      await page.unrouteAll();
      await fakeRelay(page, handlers, INTERFACES[app]);
      await show(theme, width);
      await page.goto(url + path);
      await until(page);
      assert.deepEqual(await axeViolations(page), [], where);
      assert.equal(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), true, `${where} is wider than its window`);
      assert.deepEqual(faults, [], where);
    }
  }
}
