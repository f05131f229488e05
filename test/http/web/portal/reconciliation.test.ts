import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { DAYS, RECONCILIATION_HANDLERS } from "./fake-reconciliation.ts";
import { type FakeHandler, fakeRelay, MERCHANT, meOf, sessionOf } from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  ...RECONCILIATION_HANDLERS,
};

const PATH = "/portal/reconciliation";
const drawer = (page: Page) => page.locator("dialog.drawer");
const rowsOf = (page: Page, caption: string) =>
  drawer(page)
    .getByRole("table", { name: caption })
    .locator("tbody tr")
    .evaluateAll((rows) => rows.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));

test("closed days say what they come to and what is to be checked; days of the address narrow them", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.goto(`${url}${PATH}?from=never`);
  await page.getByText("5 closed days in total").waitFor();
  const cells = (label: string) => page.locator(`main td[data-label="${label}"]`).allTextContents();
  // With a comma or without, as the browser's words have it.
  assert.deepEqual(
    (await cells("Day")).map((day) => day.replace(",", "")),
    ["Tue 24 Nov 2026", "Mon 23 Nov 2026", "Sun 22 Nov 2026", "Sat 21 Nov 2026", "Fri 20 Nov 2026"],
  );
  assert.deepEqual(await cells("Net"), ["No payments", "€1,220.00CHF\u00a090.00", "€1,220.00", "€1,220.00", "–"]);
  assert.deepEqual(await cells("To check"), ["–", "1 unknown102 conflicting", "None", "None", "None"]);
  assert.deepEqual(await cells("Corrections"), ["–", "3 corrections", "–", "–", "–"]);
  await page.locator(".filters-desk").getByLabel("From").fill("2026-11-22");
  await page.waitForURL(/from=2026-11-22/);
  await page.locator(".filters-desk").getByLabel("Only days with activity").check();
  await page.getByText("4 closed days in total").waitFor();
  const asked = calls.filter(({ path }) => path === "/reconciliation").map(({ query }) => query.get("from"));
  assert.deepEqual([asked[0], asked.at(-1)], [null, "2026-11-22"]);
  assert.deepEqual(faults, []);
});

test("a day shows its figures by method, terminal and state, each leading to what it was counted from", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(url + PATH);
  await page.getByRole("button", { name: /^Mon,? 23 Nov 2026$/ }).click();
  await drawer(page).getByText("Closed on 25 Nov 2026, 03:00:01").waitFor();
  assert.match(page.url(), /reconciliation\/2026-11-23$/);
  assert.deepEqual(await rowsOf(page, "By method · EUR"), [
    ["Card", "38", "3", "€1,200.00", "–", "€1,200.00"],
    ["Payment link", "3", "0", "€30.50", "€10.50", "€20.00"],
  ]);
  assert.deepEqual(await rowsOf(page, "By terminal · EUR"), [
    ["SIM00001", "30", "3", "€1,000.00", "–", "€1,000.00"],
    ["SIM00002", "11", "0", "€230.50", "€10.50", "€220.00"],
  ]);
  assert.deepEqual(await rowsOf(page, "By method · CHF"), [["Card", "2", "0", "CHF\u00a090.00", "–", "CHF\u00a090.00"]]);
  assert.deepEqual(await rowsOf(page, "Refunds requested on this day"), [
    ["Done", "1", "€10.50"],
    ["Outcome unknown", "1", "€9.00"],
  ]);
  assert.deepEqual(
    (await rowsOf(page, "Corrections")).map(([, before, after]) => [before, after]),
    [
      ["30 · €1,000.00", "31 · €1,010.50"],
      ["1 · €10.50", "2 · €19.50"],
      ["Named", "Not named"],
    ],
  );
  await drawer(page).getByText("and 101 more").waitFor();
  const hrefs = await drawer(page)
    .getByRole("link")
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")));
  for (const href of [
    "/portal/transactions?from=2026-11-23&to=2026-11-23&currency=EUR&status=OK",
    "/portal/transactions?from=2026-11-23&to=2026-11-23&currency=EUR&method=PAYBYLINK",
    "/portal/transactions?from=2026-11-23&to=2026-11-23&currency=EUR&terminalId=SIM00002",
    `/portal/transactions/${DAYS.full.unknown.items[0]?.uuid}`,
    `/portal/transactions/${DAYS.full.conflicting.items[0]?.uuid}`,
    "/api/merchant/reconciliation/2026-11-23/file?lang=en",
  ]) {
    assert.ok(hrefs.includes(href), `${href} is not among ${hrefs.join(" ")}`);
  }
  assert.deepEqual(faults, []);
});

test("a day that is not closed says when it will be, one with nothing says so, and too many terminals have one line", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}${PATH}/2026-11-25`);
  await drawer(page)
    .getByText(/It closes on Friday,? 27 November 2026 at 03:00/)
    .waitFor();
  for (const none of ["2026-11-01", "nonsense"]) {
    await page.goto(`${url}${PATH}/${none}`);
    await drawer(page).getByText("No data for this day").waitFor();
  }
  await page.goto(`${url}${PATH}/${DAYS.many.day}`);
  await drawer(page).getByText("All terminals together (too many to list)").waitFor();
  await page.goto(`${url}${PATH}/${DAYS.linkOnly.day}`);
  await drawer(page).getByText("No payments on this day.").waitFor();
  await drawer(page).getByText("No corrections so far.").waitFor();
});

test("the page says when a day closes and which is next, by the clock of the installation", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  // 02:30 and 03:30 in Rome.
  for (const [now, next, at] of [
    ["2026-11-26T01:30:00Z", "Tuesday,? 24 November 2026", "Thursday,? 26 November 2026"],
    ["2026-11-26T02:30:00Z", "Wednesday,? 25 November 2026", "Friday,? 27 November 2026"],
  ] as const) {
    await page.clock.setFixedTime(now);
    await page.goto(url + PATH);
    await page.getByText(new RegExp(`Next: ${next}, on ${at} at 03:00\\.`)).waitFor();
  }
});

test("whoever may not export is offered no file", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) });
  await page.goto(`${url}${PATH}/${DAYS.full.day}`);
  await drawer(page).getByText("By method").first().waitFor();
  assert.equal(await drawer(page).getByRole("link", { name: "Download CSV" }).count(), 0);
});
