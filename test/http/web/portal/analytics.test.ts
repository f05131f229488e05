import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import * as definitions from "../../../../http/surfaces/merchant/analytics/definitions.ts";
import { analytics as inEnglish } from "../../../../http/web/portal/i18n/analytics.en.ts";
import { analytics as inItalian } from "../../../../http/web/portal/i18n/analytics.it.ts";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { eventually } from "../../../support/within.ts";
import {
  type FakeAnswer,
  type FakeHandler,
  type FakeRequest,
  fakeRelay,
  MERCHANT,
  meOf,
  sessionOf,
  TRANSACTIONS,
  terminalsOf,
} from "./fake-relay.ts";
import { newShopPayments, noPayments, REPORT_HANDLERS, twoCurrencies } from "./fake-reports.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Record<string, FakeHandler> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  "GET /transactions": () => ({ data: TRANSACTIONS }),
  ...REPORT_HANDLERS,
};

const PATH = "/portal/analytics";
const NOVEMBER = "from=2026-11-01&to=2026-11-25";
/** Of the pages that reckon from today, so that no midnight comes between two of their requests. */
const NOON = "2026-11-25T12:00:00Z";
const tile = (page: Page, label: string) =>
  page.locator(".tile", { has: page.locator(".tile-label", { hasText: new RegExp(`^${label}$`) }) });
const desk = (page: Page) => page.locator(".filters-desk");
const reportsOf = (calls: readonly FakeRequest[], name: string) => calls.filter(({ path }) => path === `/analytics/${name}`);
const lastQuery = (calls: readonly FakeRequest[], name: string) => Object.fromEntries(reportsOf(calls, name).at(-1)?.query ?? []);
const hrefOf = async (page: Page, label: string) => new URL((await tile(page, label).getAttribute("href")) ?? "", page.url());

test("every figure that a report defines has a name and a meaning in both languages", () => {
  const groups = {
    payments: definitions.PAYMENTS,
    methods: definitions.METHOD_SUMS,
    terminals: definitions.TERMINALS,
    links: definitions.LINKS,
    disputes: definitions.DISPUTES,
    subscriptions: definitions.SUBSCRIPTIONS,
    agents: definitions.AGENTS,
  };
  for (const { figures } of [inEnglish, inItalian]) {
    for (const [report, defined] of Object.entries(groups)) {
      const texts: Readonly<Record<string, Readonly<Record<string, { label: string; about: string }>>>> = figures;
      assert.deepEqual(Object.keys(texts[report] ?? {}).sort(), Object.keys(defined).sort(), report);
      for (const [name, { label, about }] of Object.entries(texts[report] ?? {})) {
        assert.ok(label !== "" && about.endsWith("."), `${report}.${name}`);
      }
    }
  }
});

test("figures stand beside the period before, in signs and in words, and say what they mean", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  await tile(page, "Volume").getByText("€22,500.00").waitFor();
  // The days before are as many, and the relay reckons them.
  assert.deepEqual(lastQuery(calls, "payments"), { from: "2026-11-01", to: "2026-11-25", compare: "previous" });
  await page.getByText("1–25 Nov 2026").first().waitFor();
  await page.getByText("compared with 7–31 Oct 2026").waitFor();
  await page.getByText("Days and hours in Europe/Rome").waitFor();
  assert.equal(await tile(page, "Volume").locator(".tile-change").textContent(), "▲ Up 12% from the previous period");
  assert.equal(await tile(page, "Volume").locator(".tile-good").count(), 1);
  // More declines are no good news; a rate is told in points.
  assert.equal(await tile(page, "Declined").locator(".tile-change").textContent(), "▲ Up 45% from the previous period");
  assert.equal(await tile(page, "Declined").locator(".tile-bad").count(), 1);
  assert.equal(await tile(page, "Approval rate").locator(".tile-change").textContent(), "▼ Down 1.1 points from the previous period");
  assert.equal(await tile(page, "Net").locator(".tile-value").textContent(), "€22,275.00");

  const ask = page.getByRole("button", { name: "What does this mean: Net?" });
  assert.equal(await ask.getAttribute("aria-expanded"), "false");
  await ask.click();
  assert.equal(await ask.getAttribute("aria-expanded"), "true");
  await page.getByText("The volume minus the refunds of the same period.").waitFor();
  assert.deepEqual(faults, []);
});

test("figures are not compared with a period that is almost empty", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, { ...ANNA, "GET /analytics/payments": (request) => ({ data: newShopPayments(request) }) });
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  await tile(page, "Volume").getByText("€22,500.00").waitFor();
  for (const label of ["Volume", "Declined", "Approval rate"]) {
    assert.match((await tile(page, label).locator(".tile-change").textContent()) ?? "", /No data to compare with$/);
  }
});

test("every figure, bar and line leads to the list that it was counted from, with the same filters", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}${PATH}?${NOVEMBER}&terminalId=SIM00001&method=CARD`);
  await tile(page, "Volume").waitFor();
  const narrowed = { from: "2026-11-01", to: "2026-11-25", currency: "EUR", terminalId: "SIM00001", method: "CARD" };
  const { pathname, searchParams } = await hrefOf(page, "Declined");
  assert.equal(pathname, "/portal/transactions");
  assert.deepEqual(Object.fromEntries(searchParams), { ...narrowed, status: "KO" });

  // The chart itself: a click on a bar.
  const chart = page.locator(".chart-drawing").first();
  await chart.locator("canvas").waitFor();
  await chart.scrollIntoViewIfNeeded();
  const box = (await chart.locator(".u-over").boundingBox()) ?? assert.fail("nothing is drawn");
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await chart.locator(".chart-tip-title").getByText("Fri, 13 Nov 2026").waitFor();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await page.getByRole("heading", { name: "Transactions", level: 1 }).waitFor();
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), {
    ...narrowed,
    ...{ from: "2026-11-13", to: "2026-11-13", status: "OK" },
  });

  // The same for whoever does not see it: a table, whose days are links.
  await page.goBack();
  const panel = page.locator(".panel", { has: page.getByRole("heading", { name: "Volume by day" }) });
  await panel.getByRole("button", { name: "Show as table" }).click();
  assert.equal(await panel.locator("tbody tr").count(), 25);
  const link = panel.getByRole("link", { name: "Fri, 13 Nov 2026" });
  assert.match((await link.getAttribute("href")) ?? "", /from=2026-11-13&to=2026-11-13/);
  // What it is compared with stands beside it, and says of which days it is.
  assert.deepEqual(await panel.locator("thead th").allTextContents(), ["When", "Volume", "Before · 7–31 Oct 2026"]);
});

test("each report leads to its own lists", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  const days = { from: "2026-11-01", to: "2026-11-25" };
  for (const [tab, label, path, filters] of [
    ["links", "Paid", "/portal/payment-links", { ...days, currency: "EUR", state: "PAID" }],
    ["disputes", "Lost", "/portal/disputes", { view: "list", ...days, currency: "EUR", includeAlerts: "false", status: "LOST" }],
    ["disputes", "Prevented", "/portal/alerts", { ...days, currency: "EUR", state: "PREVENTED" }],
    ["disputes", "Card payments", "/portal/transactions", { ...days, currency: "EUR", method: "CARD", status: "OK" }],
    ["subscriptions", "Failed payments", "/portal/subscriptions", { state: "PAST_DUE" }],
    ["agents", "Paid amount", "/portal/payment-links", { ...days, currency: "EUR", state: "PAID" }],
    ["terminals", "Active terminals", "/portal/terminals", {}],
  ] as const) {
    await page.goto(`${url}${PATH}?tab=${tab}&${NOVEMBER}`);
    await tile(page, label).first().waitFor();
    const { pathname, searchParams } = await hrefOf(page, label);
    assert.equal(pathname, path, `${tab} ${label}`);
    assert.deepEqual(Object.fromEntries(searchParams), filters, `${tab} ${label}`);
  }
  await page.goto(`${url}${PATH}?tab=methods&${NOVEMBER}`);
  const satispay = page.getByRole("link", { name: "Satispay" });
  assert.match((await satispay.getAttribute("href")) ?? "", /method=SATISPAY/);
  const reason = page.getByRole("link", { name: "Not enough money or credit on the card" });
  await page.getByText("Code 116 · Insufficient funds").waitFor();
  assert.match((await reason.getAttribute("href")) ?? "", /status=KO/);
  // A result that says nothing is named all the same.
  await page.getByText("No reason given").waitFor();
});

test("tab, days, comparison, steps, terminal and method stand in the address, and are what the report is asked with", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.clock.setFixedTime(NOON);
  await page.goto(url + PATH);
  await tile(page, "Volume").waitFor();
  // Without a choice it is the last thirty days.
  const usual = lastQuery(calls, "payments");
  assert.equal(Math.round((Date.parse(usual["to"] ?? "") - Date.parse(usual["from"] ?? "")) / 86_400_000), 29);

  await desk(page).getByLabel("Period").selectOption("thisYear");
  await desk(page).getByLabel("Compare with").selectOption("year");
  await desk(page).getByLabel("Group by").selectOption("month");
  await desk(page).getByLabel("Terminal").selectOption("SIM00002");
  await desk(page).getByLabel("Method").selectOption("SATISPAY");
  const { to = "" } = usual;
  const wanted = {
    ...{ from: `${to.slice(0, 4)}-01-01`, to, compare: "year", granularity: "month", terminalId: "SIM00002", method: "SATISPAY" },
  };
  await eventually(() => assert.deepEqual(lastQuery(calls, "payments"), wanted));
  assert.deepEqual(Object.fromEntries(new URL(page.url()).searchParams), wanted);
  // The map has no steps and nothing it is compared with; the relay refuses what a report does not have.
  const { compare: _, granularity: __, ...narrowed } = wanted;
  await eventually(() => assert.deepEqual(lastQuery(calls, "heatmap"), narrowed));

  await page.getByRole("tab", { name: "Payment links" }).click();
  await tile(page, "Conversion").waitFor();
  const { terminalId: ___, method: ____, ...ofLinks } = wanted;
  assert.deepEqual(lastQuery(calls, "links"), ofLinks);
  assert.equal(await desk(page).getByLabel("Terminal").count(), 0);
  // What links do not have comes back with the tab that has it.
  await page.getByRole("tab", { name: "Terminals" }).click();
  await eventually(() => assert.deepEqual(lastQuery(calls, "terminals"), wanted));

  await page.reload();
  await tile(page, "Active terminals").waitFor();
  assert.equal(await desk(page).getByLabel("Compare with").inputValue(), "year");
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await eventually(() => assert.equal(new URL(page.url()).search, "?tab=terminals"));
});

test("days that cannot be reported are refused before anything is asked", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  for (const [query, says] of [
    ["from=2024-01-01&to=2026-11-01", "Choose at most 400 days."],
    ["from=2026-11-02&to=2026-11-01", "The first day is after the last day. Choose an earlier first day."],
  ] as const) {
    await page.goto(`${url}${PATH}?${query}`);
    await page.getByText(says).first().waitFor();
  }
  assert.deepEqual(reportsOf(calls, "payments"), []);
  // An address may be typed: what could be nothing is skipped.
  await page.goto(`${url}${PATH}?${NOVEMBER}&granularity=minute&compare=never&method=BARTER&terminalId=../x&tab=fortune`);
  await tile(page, "Volume").waitFor();
  assert.deepEqual(lastQuery(calls, "payments"), { from: "2026-11-01", to: "2026-11-25", compare: "previous" });
});

test("other days are chosen by their first and last one, from the present ones on", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, ANNA);
  await page.clock.setFixedTime(NOON);
  await page.goto(url + PATH);
  await tile(page, "Volume").waitFor();
  const before = lastQuery(calls, "payments");
  await desk(page).getByLabel("Period").selectOption("custom");
  const first = desk(page).getByLabel("From");
  await first.waitFor();
  assert.equal(await first.inputValue(), before["from"]?.split("-").reverse().join("/"));
  await first.fill("2026-11-20");
  await eventually(() => assert.equal(lastQuery(calls, "payments")["from"], "2026-11-20"));
  assert.equal(lastQuery(calls, "payments")["to"], before["to"]);
  assert.equal(await desk(page).getByLabel("Period").inputValue(), "custom");
});

test("currencies are chosen, never added up, and another one is shown without asking again", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const { calls } = await fakeRelay(page, { ...ANNA, "GET /analytics/payments": (request) => ({ data: twoCurrencies(request) }) });
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  // That with the most payments first.
  await tile(page, "Volume").getByText("€22,500.00").waitFor();
  await page.getByText("Amounts in different currencies are never added up").waitFor();
  const asked = reportsOf(calls, "payments").length;
  await page.getByRole("group", { name: "Currency" }).getByRole("button", { name: "CHF" }).click();
  await tile(page, "Volume").getByText("CHF 480.00").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("currency"), "CHF");
  assert.equal((await hrefOf(page, "Approved")).searchParams.get("currency"), "CHF");
  assert.equal(reportsOf(calls, "payments").length, asked);
});

test("on a day of 25 hours each stands against the same hour of the clock, and the one that comes twice is told apart", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const change = (request: FakeRequest): FakeAnswer => {
    const report = noPayments(request);
    const [figures] = twoCurrencies(request).totals;
    assert.ok(figures !== undefined);
    const point = (day: string, hour: number, offset: string, volumeMinor: number) => {
      const start = `${day}T${String(hour).padStart(2, "0")}:00:00${offset}`;
      return { ...{ start, end: start, from: day, to: day }, figures: [{ ...figures, currency: "EUR", volumeMinor }] };
    };
    const hours = Array.from({ length: 24 }, (_, hour) => hour);
    const summer = (day: string) => hours.map((hour) => point(day, hour, "+02:00", hour * 1_000));
    const day = "2026-10-25";
    const winter = hours.slice(2).map((hour) => point(day, hour, "+01:00", hour * 100));
    const members = { granularity: "hour" as const, totals: [{ ...figures, currency: "EUR" }] };
    const previous = { ...report, ...members, from: "2026-10-24", to: "2026-10-24", series: summer("2026-10-24") };
    return { data: { ...report, ...members, series: [...summer(day).slice(0, 3), ...winter], previous } };
  };
  await fakeRelay(page, { ...ANNA, "GET /analytics/payments": change });
  await page.goto(`${url}${PATH}?from=2026-10-25&to=2026-10-25`);
  const panel = page.locator(".panel", { has: page.getByRole("heading", { name: "Volume by hour" }) });
  await panel.getByRole("button", { name: "Show as table" }).click();
  const rows = await panel.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.children].map((cell) => cell.textContent)));
  assert.deepEqual(rows.slice(1, 5), [
    ["01:00", "€10.00", "€10.00"],
    ["02:00 (UTC+02:00)", "€20.00", "€20.00"],
    ["02:00 (UTC+01:00)", "€2.00", "–"],
    ["03:00", "€3.00", "€30.00"],
  ]);
  assert.equal(rows.length, 25);
  assert.deepEqual(faults, []);
});

test("what a terminal wrote in the place of a currency is chosen as any other", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const odd = (request: FakeRequest) => JSON.parse(JSON.stringify(twoCurrencies(request)).replaceAll('"CHF"', '"Punti 1"'));
  await fakeRelay(page, { ...ANNA, "GET /analytics/payments": (request) => ({ data: odd(request) }) });
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  await tile(page, "Volume").getByText("€22,500.00").waitFor();
  await page.getByRole("group", { name: "Currency" }).getByRole("button", { name: "Punti 1" }).click();
  await tile(page, "Approved").getByText("12", { exact: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get("currency"), "Punti 1");
  assert.deepEqual(faults, []);
});

test("a period without anything says so, and a report that is away says why and nothing else goes", skip, async (t) => {
  const { url, page } = await openPortal(t);
  let away = false;
  await fakeRelay(page, {
    ...ANNA,
    "GET /analytics/payments": (request) => (away ? { status: 503, code: "unavailable" } : { data: noPayments(request) }),
    "GET /analytics/heatmap": () => ({ status: 503, code: "unavailable" }),
    "GET /analytics/links": () => ({ status: 503, code: "unavailable" }),
  });
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  await page.getByText("No data in this period").waitFor();
  away = true;
  await page.goto(`${url}${PATH}?tab=links&${NOVEMBER}`);
  await page.getByText("Not available at the moment").waitFor();
  await page.getByText("Part of the service is not available right now.").waitFor();
  await page.getByRole("tab", { name: "Disputes" }).click();
  await tile(page, "Win rate").waitFor();
});

test("the map of busy hours has the average of each hour in words, and payments or volume", skip, async (t) => {
  const { url, page } = await openPortal(t);
  await fakeRelay(page, ANNA);
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  const map = page.locator(".heat-table");
  await map.waitFor();
  // From eight on, although the first hours have nothing: the night takes no room.
  assert.equal(await map.locator("tbody th").first().textContent(), "08:00");
  assert.equal(await map.locator("tbody th").last().textContent(), "20:00");
  const monday = map.locator("tbody tr").first().locator("td").first();
  assert.match((await monday.textContent()) ?? "", /^\d+(\.\d)?$/);
  // On Sundays the shop is closed.
  assert.equal(await map.locator("tbody tr").first().locator("td").last().textContent(), "–");
  await page.getByRole("group", { name: "Show" }).getByRole("button", { name: "Volume" }).click();
  await eventually(async () => assert.match((await monday.textContent()) ?? "", /^€/));
});

test("a role that only looks sees the same figures; the language is that of the person", skip, async (t) => {
  const { url, page, faults } = await openPortal(t);
  const viewer = sessionOf({ locale: "it", merchant: { ...MERCHANT, role: "VIEWER" } });
  await fakeRelay(page, { ...ANNA, "GET /session": () => ({ data: viewer }) });
  await page.goto(`${url}${PATH}?${NOVEMBER}`);
  await page.getByRole("heading", { name: "Analisi" }).waitFor();
  await tile(page, "Incassato").getByText("22.500,00").waitFor();
  assert.equal(await tile(page, "Incassato").locator(".tile-change").textContent(), "▲ In aumento: 12% sul periodo precedente");
  const nav = page.getByRole("navigation").first();
  await nav.getByRole("link", { name: "Analisi" }).waitFor();
  // Who may not export has no page of exports.
  assert.equal(await nav.getByRole("link", { name: "Esportazioni" }).count(), 0);
  assert.deepEqual(faults, []);
});
