import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { type AccessibilityCase, lookAtEvery } from "./accessibility-cases.ts";
import { EXPORT_LIST, EXPORTS } from "./fake-exports.ts";
import { MERCHANT, meOf, PAYMENT_LINKS, sessionOf, TRANSACTIONS, terminalsOf } from "./fake-relay.ts";
import { noPayments, REPORT_HANDLERS, twoCurrencies } from "./fake-reports.ts";

const ANNA = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
  "GET /exports": () => ({ data: EXPORT_LIST }),
  ...REPORT_HANDLERS,
};
const ITALIAN = { ...ANNA, "GET /session": () => ({ data: sessionOf({ locale: "it" }) }) };
const VIEWER = { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) };

const DAYS = "from=2026-11-01&to=2026-11-25";
const at = (tab: string) => `/portal/analytics?tab=${tab}&${DAYS}`;
/** Tiles stand there while a report is awaited, too; a chart only afterwards. */
const drawn = (page: Page) => page.locator(".chart-drawing canvas").first().waitFor();
const dialog = (page: Page) => page.locator("dialog.dialog");
const exporting = async (page: Page) => {
  await page
    .locator("main")
    .getByRole("button", { name: /^(Export|Esporta)$/ })
    .click();
  await dialog(page)
    .getByText(/^\d+ (rows|righe)$/)
    .waitFor();
};
const begins = (item: (typeof EXPORTS)[keyof typeof EXPORTS]) => ({
  ...ANNA,
  "POST /exports": () => ({ status: 201, data: item }),
  "GET /exports/*": () => ({ data: item }),
});
const started = (says: string) => async (page: Page) => {
  await exporting(page);
  await dialog(page).getByRole("button", { name: "Start export" }).click();
  await dialog(page).getByText(says).waitFor();
};

const CASES: AccessibilityCase[] = [
  ...["payments", "methods", "terminals", "links", "disputes", "subscriptions", "agents"].flatMap((tab) => [
    { name: `analytics: ${tab}`, path: at(tab), handlers: ANNA, until: drawn },
    { name: `analytics: ${tab}, in Italian`, path: at(tab), handlers: ITALIAN, until: drawn },
  ]),
  { name: "analytics of a day", path: "/portal/analytics?from=2026-11-25&to=2026-11-25", handlers: VIEWER, until: drawn },
  { name: "analytics of a year", path: "/portal/analytics?from=2025-11-26&to=2026-11-25&compare=year", handlers: ANNA, until: drawn },
  {
    name: "analytics of two currencies",
    path: at("payments"),
    handlers: { ...ANNA, "GET /analytics/payments": (request) => ({ data: twoCurrencies(request) }) },
    until: drawn,
  },
  {
    name: "analytics of other days",
    path: "/portal/analytics?from=2024-01-01&to=2026-11-25",
    handlers: ANNA,
    until: (page) => page.getByText("At most 400 days at once.").first().waitFor(),
  },
  {
    name: "analytics as tables, with what figures mean",
    path: at("payments"),
    handlers: ANNA,
    until: async (page) => {
      await drawn(page);
      await page.getByRole("button", { name: "Show as table" }).first().click();
      await page.getByRole("button", { name: /^What does this mean: Volume/ }).click();
      await page.getByRole("button", { name: "What these figures mean" }).click();
    },
  },
  {
    name: "analytics without anything",
    path: at("payments"),
    handlers: { ...ANNA, "GET /analytics/payments": (request) => ({ data: noPayments(request) }) },
    until: (page) => page.getByText("Nothing in this period").waitFor(),
  },
  {
    name: "analytics that are away",
    path: at("payments"),
    handlers: { ...ANNA, "GET /analytics/payments": () => ({ status: 503, code: "unavailable" }) },
    until: (page) => page.getByRole("button", { name: "Try again" }).waitFor(),
  },
  { name: "an export to order", path: "/portal/transactions?status=OK", handlers: ANNA, until: exporting },
  { name: "an export to order in Italian", path: "/portal/payment-links", handlers: ITALIAN, until: exporting },
  {
    name: "an export to order, with what is wrong",
    path: "/portal/payment-links",
    handlers: ANNA,
    until: async (page) => {
      await exporting(page);
      const columns = dialog(page).locator(".export-checks input:checked");
      while ((await columns.count()) > 0) await columns.first().uncheck();
      await dialog(page).getByRole("button", { name: "Start export" }).click();
      await page.getByText("Choose at least one column.").waitFor();
    },
  },
  {
    name: "an export that is made",
    path: "/portal/transactions",
    handlers: begins(EXPORTS.running),
    until: started("The file is being created."),
  },
  { name: "an export that is ready", path: "/portal/transactions", handlers: begins(EXPORTS.ready), until: started("The file is ready.") },
  {
    name: "an export that failed",
    path: "/portal/transactions",
    handlers: begins(EXPORTS.failed),
    until: started("There are too many rows"),
  },
  { name: "exports", path: "/portal/exports", handlers: ANNA, until: (page) => page.getByText("4 exports in total").waitFor() },
  {
    name: "exports in Italian",
    path: "/portal/exports",
    handlers: ITALIAN,
    until: (page) => page.getByText("4 esportazioni in tutto").waitFor(),
  },
  {
    name: "no exports",
    path: "/portal/exports",
    handlers: { ...ANNA, "GET /exports": () => ({ data: { items: [], next: null } }) },
    until: (page) => page.locator(".empty").waitFor(),
  },
];

test("analytics and exports break no rule of WCAG A or AA, in both themes, at 1280 and 360 px", {
  skip: NO_BROWSER,
  timeout: 600_000,
}, async (t) => {
  await lookAtEvery(t, "portal", CASES);
});
