import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_BROWSER } from "../../../support/browser/browser.ts";
import { DISPUTE_HANDLERS, NO_STATS } from "./fake-disputes.ts";
import {
  DELIVERIES,
  DELIVERY,
  type FakeHandler,
  fakeRelay,
  MERCHANT,
  meOf,
  OVERVIEW,
  sessionOf,
  taskOf,
  terminalsOf,
  WEBHOOKS,
} from "./fake-relay.ts";
import { openPortal } from "./portal-page.ts";

const skip = { skip: NO_BROWSER, timeout: 60_000 };

const ANNA: Readonly<Record<string, FakeHandler>> = {
  "GET /session": () => ({ data: sessionOf() }),
  "GET /me": () => ({ data: meOf() }),
  "GET /sessions": () => ({ data: { items: [], next: null } }),
  "GET /terminals": () => ({ data: terminalsOf() }),
  ...DISPUTE_HANDLERS,
};

test("an alert that is due soon counts as due, and nothing says that all is calm", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const stats = { ...NO_STATS, alerts: { ...NO_STATS.alerts, counts: { PENDING: 1 }, dueSoon: 1 } };
  await fakeRelay(page, { ...ANNA, "GET /disputes/stats": () => ({ data: stats }) });
  await page.goto(`${url}/portal/disputes`);
  const tile = page.locator(".tile", { hasText: "Due within 3 days" });
  await tile.getByText("Answer these first").waitFor();
  assert.equal(await tile.locator(".tile-value").textContent(), "1");
  assert.equal(await page.getByText("Nothing is urgent").count(), 0);
});

for (const { what, tries, expected } of [
  {
    what: "says that an event has just been delivered if the relay delivered it at the same moment",
    tries: [...DELIVERY.tries, { at: "2026-11-25T10:00:35.000Z", ms: 61, status: 200, answer: "", problem: null }],
    expected: "It has just been delivered.",
  },
  {
    what: "shows the error of a resend if nothing was delivered since",
    tries: DELIVERY.tries,
    expected: "Somebody else has changed this.",
  },
]) {
  test(what, skip, async (t) => {
    const { url, page } = await openPortal(t);
    let isAsked = false;
    await fakeRelay(page, {
      ...ANNA,
      "GET /webhooks": () => ({ data: WEBHOOKS }),
      "GET /webhooks/deliveries": () => ({ data: DELIVERIES }),
      "GET /webhooks/deliveries/*": () => ({ data: isAsked ? { ...DELIVERY, outcome: "DELIVERED", tries } : DELIVERY }),
      "POST /webhooks/deliveries/*/resend": () => {
        isAsked = true;
        return { status: 409, code: "conflict", message: "The event is no longer stored" };
      },
    });
    await page.goto(`${url}/portal/webhooks/${DELIVERY.id}?tab=deliveries`);
    await page.locator("dialog").getByRole("button", { name: "Resend", exact: true }).click();
    await page.getByText(expected).waitFor();
    assert.equal(await page.locator("dialog [role=alert]").count(), expected.startsWith("It has") ? 0 : 1);
  });
}

test("tasks show amounts and reasons in words, and no ids of payments", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const uuid = "5b0f0f0e-1111-4222-8333-000000000001";
  const tasks = [
    taskOf({
      kind: "alert_pending",
      subject: "al_1",
      dueAt: new Date(Date.now() + 3_600_000).toISOString(),
      category: "FRAUD",
      amountMinor: 12_480,
      currency: "EUR",
    }),
    taskOf({ kind: "terminal_offline", subject: "SIM00002", terminalId: "SIM00002" }),
    taskOf({ kind: "unknown", subject: uuid, terminalId: "SIM00001", amountMinor: 1_050, currency: "EUR" }),
    taskOf({
      kind: "subscription_past_due",
      subject: "sub_1",
      about: "Monthly box",
      code: "51",
      message: "no money",
      amountMinor: 2_900,
      currency: "EUR",
    }),
  ];
  await fakeRelay(page, { ...ANNA, "GET /overview": () => ({ data: { ...OVERVIEW, tasks } }) });
  await page.goto(`${url}/portal`);
  const rows = page.getByRole("table", { name: "To check" }).getByRole("row");
  await rows.nth(4).waitFor();
  const cells = async (row: number) => (await rows.nth(row).getByRole("cell").allTextContents()).slice(0, 3);
  assert.deepEqual(await cells(1), ["Decide on an alert", "Fraud", "€124.80"]);
  assert.deepEqual(await cells(2), [
    "Terminal offline",
    "Terminal SIM00002Offline while the shop is open. Check its power and its connection.",
    "–",
  ]);
  assert.match((await cells(3))[1] ?? "", /^The terminal has reported no result\..*Terminal SIM00001$/);
  assert.deepEqual(await cells(4), [
    "Subscription past due",
    "Monthly boxNot enough money or credit on the card (Code 51 · no money)",
    "€29.00",
  ]);
  assert.equal(await page.getByText(uuid).count(), 0);
  assert.equal(await rows.nth(2).getByRole("link").getAttribute("href"), "/portal/terminals/SIM00002");
});

test("the overview says what it does not know while ClickHouse is away, and lists the tasks", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const data = {
    ...{
      ...OVERVIEW,
      figuresAvailable: false,
      openingHours: "unknown",
      today: [],
      before: [],
      hours: [],
      terminals: { online: 1, total: 2 },
    },
    tasks: [taskOf({ kind: "link_late", subject: "pl_1", about: "Ten seats" })],
  };
  await fakeRelay(page, { ...ANNA, "GET /overview": () => ({ data }) });
  await page.goto(`${url}/portal`);
  await page.getByText("The figures of payments cannot be loaded at the moment.").waitFor();
  await page.getByText("The opening hours cannot be derived from payments at the moment").waitFor();
  await page.getByRole("link", { name: "Ten seats" }).waitFor();
  assert.equal(await page.getByText("No payments").count(), 0);
});

test("the opening hours are written as people write them, and other roles read them", skip, async (t) => {
  const { url, page } = await openPortal(t);
  const derived = { source: "payments", hours: [{ weekday: 1, from: "08:00", to: "13:00" }] };
  const saved: unknown[] = [];
  const handlers = {
    ...ANNA,
    "GET /opening-hours": () => ({ data: derived }),
    "PUT /opening-hours": ({ body }: { body: unknown }) => {
      saved.push(body);
      return { data: { source: "set", ...Object(body) } };
    },
  };
  await fakeRelay(page, handlers);
  await page.goto(`${url}/portal/settings`);
  await page.getByText("08:00–13:00").waitFor();
  await page.getByLabel("Where they come from").selectOption("set");
  assert.equal(await page.getByLabel("Monday").inputValue(), "08:00–13:00");
  await page.getByLabel("Monday").fill("8.30 - 13:00, 15:30-19:30");
  await page.getByLabel("Saturday").fill("late");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Enter times such as 08:30–13:00.").waitFor();
  assert.deepEqual(saved, []);
  await page.getByLabel("Saturday").fill("18:00-02:00");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved.").waitFor();
  assert.deepEqual(saved, [
    {
      hours: [
        { weekday: 1, from: "08:30", to: "13:00" },
        { weekday: 1, from: "15:30", to: "19:30" },
        { weekday: 6, from: "18:00", to: "02:00" },
      ],
    },
  ]);
  await page.unrouteAll();
  await fakeRelay(page, { ...handlers, "GET /session": () => ({ data: sessionOf({ merchant: { ...MERCHANT, role: "VIEWER" } }) }) });
  await page.goto(`${url}/portal/settings`);
  await page.getByText("08:00–13:00").waitFor();
  assert.equal(await page.getByLabel("Where they come from").count(), 0);
});
