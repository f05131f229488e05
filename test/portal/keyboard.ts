import assert from "node:assert/strict";
import type { Page } from "playwright-core";

/** As many stops as a page with an open form has; further on nobody would look. */
const STEPS_MAX = 60;

/** Goes on with the tabulator until what has this name, or one like it, has the focus. */
export async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const passed: string[] = [];
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      `(() => { const { labels, textContent, ariaLabel } = document.activeElement; return ariaLabel ?? labels?.[0]?.textContent ?? textContent; })()`,
    );
    const found = String(focused).trim();
    if (typeof name === "string" ? found === name : name.test(found)) {
      // Whoever does not see the focus is lost.
      assert.equal(await page.evaluate(`document.activeElement.matches(":focus-visible")`), true, found);
      return;
    }
    passed.push(found.slice(0, 40));
  }
  assert.fail(`the keyboard does not reach ${name}, only ${[...new Set(passed)].join(" | ")}`);
}
