import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { fakeRelay, sessionOf } from "./fake-relay.ts";
import { REPORT_HANDLERS } from "./fake-reports.ts";
import { openPortal } from "./portal-page.ts";

for (const [locale, grouped] of [
  ["it", "4.500"],
  ["en", "4,500"],
] as const) {
  test(`a number of four digits is grouped as ${grouped} in the language ${locale}`, { skip: NO_BROWSER, timeout: 90_000 }, async (t) => {
    const { url, page } = await openPortal(t);
    await fakeRelay(page, { ...REPORT_HANDLERS, "GET /session": () => ({ data: sessionOf({ locale }) }) });
    await page.goto(`${url}/portal/analytics?tab=disputes&from=2026-11-01&to=2026-11-25`);
    await page.locator(".tile-value").getByText(grouped, { exact: true }).waitFor();
  });
}
