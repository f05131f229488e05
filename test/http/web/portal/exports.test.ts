import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { XLSX_ROWS_MAX } from "../../../../engine/exports/words.ts";
import { usualColumns } from "../../../../http/surfaces/merchant/exports/columns.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { EXPORT_LIST, exportOf } from "./fake-exports.ts";
import {
  type FakeHandler,
  type FakeRequest,
  fakeRelay,
  MERCHANT,
  meOf,
  PAYMENT_LINKS,
  sessionOf,
  TRANSACTIONS,
  terminalsOf,
} from "./fake-relay.ts";
import { SUBSCRIPTION_HANDLERS } from "./fake-subscriptions.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  "GET /payment-links": () => ({ data: PAYMENT_LINKS }),
  "GET /disputes": () => ({ data: { items: [], next: null } }),
  "GET /disputes/stats": () => ({ status: 503, code: "unavailable" }),
  "GET /exports": () => ({ data: EXPORT_LIST }),
  ...SUBSCRIPTION_HANDLERS,
};

const READY = exportOf({ state: "READY" });
const dialog = (page: Page) => page.locator("dialog.dialog");
const open = async (page: Page) => {
  await page.locator("main").getByRole("button", { name: "Export", exact: true }).click();
  await dialog(page).locator("h2").waitFor();
};
const start = (page: Page) => dialog(page).getByRole("button", { name: "Start export" }).click();
const ordersOf = (calls: readonly FakeRequest[]) => calls.filter(({ method, path }) => method === "POST" && path === "/exports");

test(
  "an export has the filters of the list, the columns that were chosen and a language, and is followed until its file is there",
  skip,
  async (t) => {
    const { url, page, faults } = await openPortal(t);
    const states = ["QUEUED", "RUNNING", "READY"] as const;
    let asked = 0;
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "POST /exports": () => ({ status: 201, data: exportOf({ state: "QUEUED", rows: null, bytes: null, fileName: null }) }),
      "GET /exports/*": () => {
        const state = states[Math.min(asked, 2)] ?? "READY";
        asked += 1;
        return { data: state === "READY" ? READY : exportOf({ state, rows: null, bytes: null, fileName: null }) };
      },
    });
    await page.goto(`${url}/portal/transactions?status=OK&from=2026-11-01&q=ab`);
    await open(page);
    // What is no filter is none of the file either: the list was not asked with `q` of two signs.
    await dialog(page).getByText("What the list shows now, with its 2 filters.").waitFor();
    await dialog(page).getByText("3 rows", { exact: true }).waitFor();
    await dialog(page)
      .getByText(`Up to ${XLSX_ROWS_MAX.toLocaleString("en")} rows`)
      .waitFor();
    await dialog(page).getByRole("radio", { name: "Excel (XLSX)" }).check();
    await dialog(page).getByRole("checkbox", { name: "Message" }).uncheck();
    await dialog(page).getByLabel("Language of the file").selectOption("it");
    await start(page);
    await dialog(page).getByText("The file is ready.").waitFor();
    await dialog(page).getByText("1,204 rows").waitFor();
    await dialog(page)
      .getByRole("button", { name: `Download ${READY.fileName}` })
      .waitFor();
    const [order, ...more] = ordersOf(calls);
    assert.deepEqual(more, []);
    assert.deepEqual(order?.body, {
      ...{ list: "transactions", filters: { from: "2026-11-01", status: "OK" }, format: "XLSX", lang: "it" },
      columns: usualColumns("transactions").filter((name) => name !== "message"),
    });
    assert.match(order?.headers["idempotency-key"] ?? "", /^[0-9a-f]{32}$/);
    assert.deepEqual(faults, []);
  },
);

test("each list is exported under its own name, and only by who may", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let role: "FINANCE" | "VIEWER" = "FINANCE";
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role } }) }),
    "POST /exports": () => ({ status: 201, data: READY }),
    "GET /exports/*": () => ({ data: READY }),
  });
  const pages = [
    ["transactions", "/portal/transactions"],
    ["payment-links", "/portal/payment-links?state=PAID"],
    ["disputes", "/portal/disputes?view=list&status=WON"],
    ["subscriptions", "/portal/subscriptions?state=ACTIVE"],
  ] as const;
  for (const [, path] of pages) {
    await page.goto(url + path);
    await open(page);
    await start(page);
    await dialog(page).getByText("The file is ready.").waitFor();
  }
  assert.deepEqual(
    ordersOf(calls).map(({ body }) => [Object(body).list, Object(body).filters]),
    [
      ["transactions", {}],
      ["payment-links", { state: "PAID" }],
      ["disputes", { status: "WON" }],
      ["subscriptions", { state: "ACTIVE" }],
    ],
  );
  role = "VIEWER";
  for (const [, path] of pages) {
    await page.goto(url + path);
    await page.locator("h1").waitFor();
    assert.equal(await page.getByRole("button", { name: "Export", exact: true }).count(), 0, path);
  }
  // The menu and the router agree.
  await page.goto(`${url}/portal/exports`);
  await page.getByText("Page not found").first().waitFor();
});

test("columns about people stand apart, and ask for the second factor before the export and before the download", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let fresh = false;
  const personal = exportOf({ list: "payment-links", personalData: true });
  const { calls } = await fakeRelay(page, {
    ...ANNA,
    "POST /session/step-up": () => {
      fresh = true;
      return { data: sessionOf() };
    },
    "POST /exports": () => (fresh ? { status: 201, data: personal } : { status: 403, code: "step_up_required" }),
    "GET /exports/*": () => ({ data: personal }),
    "GET /exports/*/file": () => (fresh ? { data: {} } : { status: 403, code: "step_up_required" }),
  });
  const confirm = async () => {
    const question = page.locator("dialog", { hasText: "Confirm it is you" }).last();
    await question.getByLabel("Code").fill("123456");
    await question.getByRole("button", { name: "Confirm" }).click();
  };
  await page.goto(`${url}/portal/payment-links`);
  await open(page);
  const about = dialog(page).getByRole("group", { name: "Personal data" });
  const email = about.getByRole("checkbox", { name: "Customer's e-mail" });
  assert.equal(await email.isChecked(), false);
  await email.check();
  await start(page);
  await confirm();
  await dialog(page).getByText("The file is ready.").waitFor();
  assert.equal(ordersOf(calls).length, 2);
  // One order, though it was sent twice.
  assert.equal(new Set(ordersOf(calls).map(({ headers }) => headers["idempotency-key"])).size, 1);
  assert.ok(Object(ordersOf(calls).at(-1)?.body).columns.includes("customerEmail"));

  fresh = false;
  const downloaded = page.waitForEvent("download");
  await dialog(page)
    .getByRole("button", { name: /^Download/ })
    .click();
  await confirm();
  await downloaded;
});

test(
  "an export that fails says why and may be tried again; without a column it is not sent; a refusal stays in the form",
  skip,
  async (t) => {
    const { url, page } = await openPortal(t);
    let refused = true;
    const failed = exportOf({ state: "FAILED", failure: "too_many_rows", rows: null, bytes: null, fileName: null });
    const { calls } = await fakeRelay(page, {
      ...ANNA,
      "POST /exports": () => (refused ? { status: 409, code: "exports_running" } : { status: 201, data: failed }),
      "GET /exports/*": () => ({ data: failed }),
    });
    await page.goto(`${url}/portal/transactions`);
    await open(page);
    const columns = dialog(page).locator(".export-checks input");
    for (let index = 0; index < (await columns.count()); index += 1) await columns.nth(index).uncheck();
    await start(page);
    await dialog(page).getByText("Choose at least one column.").waitFor();
    assert.deepEqual(ordersOf(calls), []);
    await dialog(page).getByRole("button", { name: "Select all" }).click();
    await start(page);
    await dialog(page).getByText("Two exports are already running.").waitFor();
    refused = false;
    await start(page);
    await dialog(page).getByText("There are too many rows for an Excel file.").waitFor();
    await dialog(page).getByRole("button", { name: "Export again" }).click();
    await dialog(page).getByRole("button", { name: "Start export" }).waitFor();
  },
);

test("whoever leaves an export under way is told where it is; its page has every export with its state", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const running = exportOf({ state: "RUNNING", rows: null, bytes: null, fileName: null });
  await fakeRelay(page, {
    ...ANNA,
    "POST /exports": () => ({ status: 201, data: running }),
    "GET /exports/*": () => ({ data: running }),
  });
  await page.goto(`${url}/portal/transactions`);
  await open(page);
  await start(page);
  await dialog(page).getByText("The file is being created.").waitFor();
  await dialog(page).getByRole("button", { name: "Close" }).last().click();
  await page.getByText("The export continues. You find it under Exports.").waitFor();
  await page.getByRole("navigation").first().getByRole("link", { name: "Exports" }).click();
  await page.getByText("4 exports in total").waitFor();
  assert.deepEqual(await page.locator("main .badge").allTextContents(), ["Queued", "Running", "Ready", "Failed"]);
  await page.getByText("There are too many rows for an Excel file.").waitFor();
  await page.getByText("Your software").waitFor();
  // Only what is ready is downloaded.
  assert.equal(
    await page
      .locator("main")
      .getByRole("button", { name: /^Download/ })
      .count(),
    1,
  );
  assert.deepEqual(faults, []);
});
