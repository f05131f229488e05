import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { GATEWAY_RESULT } from "../../../engine/gateway/gateway.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import { type MerchantReports, REPORT_CURRENCIES_MAX, type ReportName } from "../../../engine/reports/merchant-reports.ts";
import { bucketsOf, clockOffsets, edgesOf } from "../../../http/surfaces/merchant/analytics/buckets.ts";
import type { Granularity } from "../../../http/surfaces/merchant/analytics/schemas.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD, REPORTS_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import { createMerchantReports, missingMerchantReports, reportsOf } from "../../../storage/reports/merchant-reports.ts";
import { createMerchantTransactions } from "../../../storage/transactions/merchant-transactions.ts";
import { ADMIN, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { openKv, realClock, write } from "../feed/feed-world.ts";
import { type ObjectMembers, objectOf, type PaymentMembers, paymentOf, storeObjects, writeObjects } from "./merchant-reports-world.ts";

const ROME = createLocalTime("Europe/Rome");
const NOW = "2026-10-27T12:00:00Z";

const edges = (from: string, to: string, granularity: Granularity = "day") => edgesOf(bucketsOf({ from, to }, granularity, ROME));

/** Three days. The second has 25 hours. */
const CHANGE = edges("2026-10-24", "2026-10-26");

const shopOf = (merchantId: string): MerchantScope => ({ merchantId, livemode: false });

describe("the reports of merchants", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const portalClient = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
  const reportClient = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: REPORTS_WORKLOAD });
  const sink = clickHouseSink(client);
  before(() => migrate(client));
  after(() => Promise.all([client.close(), portalClient.close(), reportClient.close()]));

  async function kvOf(test: TestContext): Promise<EmbeddedKv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-reports-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    return kv;
  }

  function readersOf(kv: EmbeddedKv, options: { client?: typeof client; now?: () => number } = {}) {
    const parts = { kv, clock: { ...realClock, nowMs: options.now ?? (() => Date.parse(NOW)) }, timers: machineTimers };
    const reader = createMerchantReports({ ...parts, client: options.client ?? reportClient });
    return { reports: reportsOf(reader.text), list: createMerchantTransactions({ ...parts, client: portalClient }) };
  }

  const stored = (owner: MerchantScope, payments: readonly PaymentMembers[]) =>
    deliver(
      sink,
      payments.map((one) => paymentOf(owner.merchantId, one)),
    );

  it("reports payments: volume, approvals, declines and refunds for each currency, by local day", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("PAY");
    await stored(owner, [
      { uuid: "a1", at: "2026-10-23T22:00:00.000Z", amountCents: 1_000 },
      { uuid: "a2", at: "2026-10-23T21:59:59.999Z", amountCents: 9_999 },
      { uuid: "a3", at: "2026-10-24T10:00:00Z", status: "KO", amountCents: 500, actionCode: "116" },
      { uuid: "a4", at: "2026-10-24T10:00:00Z", method: "SATISPAY", amountCents: 2_000 },
      // A row that is not a payment, and a payment whose result has another type.
      { uuid: "a5", at: "2026-10-24T10:00:00Z", method: "UNKNOWN", amountCents: 300, kind: null },
      { uuid: "a6", at: "2026-10-24T10:00:00Z", method: "RECEIPT", amountCents: 100 },
      // Nobody declined the expired link. The buyer cancelled the other one.
      { uuid: "a7", at: "2026-10-24T10:00:00Z", method: "PAYBYLINK", status: "KO", actionCode: GATEWAY_RESULT.expired },
      { uuid: "a8", at: "2026-10-24T10:00:00Z", method: "PAYBYLINK", status: "KO", actionCode: GATEWAY_RESULT.cancelledByBuyer },
      { uuid: "a9", at: "2026-10-24T10:00:00Z", method: "SCAN", kind: "scan" },
      // The last hour of a day with 25 hours.
      { uuid: "b1", at: "2026-10-25T22:59:59.999Z", method: "VOUCHER", amountCents: 700 },
      { uuid: "c1", at: "2026-10-25T23:00:00.000Z", amountCents: 400, currency: "CHF" },
      { uuid: "c2", at: "2026-10-26T23:00:00.000Z", amountCents: 8_888 },
    ]);
    await storeObjects(client, [
      objectOf(owner, "refund", { id: "r1", at: "2026-10-20T10:00:00Z", ended: "2026-10-24T10:00:00Z", state: "done", amountMinor: 150 }),
      objectOf(owner, "refund", { id: "r2", at: "2026-10-26T10:00:00Z", ended: "2026-10-26T10:00:01Z", state: "done", amountMinor: 50 }),
      objectOf(owner, "refund", { id: "r3", at: "2026-10-26T10:00:00Z", state: "unknown", amountMinor: 7 }),
      objectOf(owner, "refund", { id: "r4", at: "2026-10-26T10:00:00Z", ended: "2026-10-26T10:00:00Z", state: "refused", amountMinor: 7 }),
      objectOf(owner, "refund", { id: "r5", at: "2026-10-26T10:00:00Z", ended: "2026-10-26T23:00:00Z", state: "done", amountMinor: 7 }),
      objectOf({ ...owner, livemode: true }, "refund", {
        id: "r6",
        at: "2026-10-26T10:00:00Z",
        ended: "2026-10-26T10:00:00Z",
        state: "done",
      }),
      objectOf(shopOf("OTHER"), "refund", { id: "r7", at: "2026-10-26T10:00:00Z", ended: "2026-10-26T10:00:00Z", state: "done" }),
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("payments", owner, { edges: CHANGE });
    const nothing = { refunds: 0, refundedMinor: 0 };
    assert.deepEqual(report, {
      asOfMs: Date.parse(NOW),
      buckets: [
        // The sum of 10.00, 20.00 and 1.00 from a1, a4 and a6. a3 and a8 were declined.
        [{ currency: "EUR", volumeMinor: 3_100, approved: 3, declined: 2, refunds: 1, refundedMinor: 150 }],
        [{ currency: "EUR", volumeMinor: 700, approved: 1, declined: 0, ...nothing }],
        [
          { currency: "CHF", volumeMinor: 400, approved: 1, declined: 0, ...nothing },
          // Only the refund of an earlier payment.
          { currency: "EUR", volumeMinor: 0, approved: 0, declined: 0, refunds: 1, refundedMinor: 50 },
        ],
      ],
      totals: [
        { currency: "CHF", volumeMinor: 400, approved: 1, declined: 0, ...nothing },
        { currency: "EUR", volumeMinor: 3_800, approved: 4, declined: 2, refunds: 2, refundedMinor: 200 },
      ],
    });
  });

  it("restricts refunds by the terminal and method of their payments, and by currency", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("NARROW");
    await stored(owner, [
      { uuid: "n1", at: "2026-10-24T10:00:00Z", terminalId: "T1", amountCents: 100 },
      { uuid: "n2", at: "2026-10-24T10:00:00Z", terminalId: "T2", amountCents: 200, method: "PAYBYLINK" },
      { uuid: "N3-OLD", at: "2025-01-01T10:00:00Z", terminalId: "T2", amountCents: 300, method: "PAYBYLINK" },
    ]);
    const done = { at: "2026-10-25T10:00:00Z", ended: "2026-10-25T10:00:00Z", state: "done" };
    await storeObjects(client, [
      objectOf(owner, "refund", { ...done, id: "f1", uuid: "n1", amountMinor: 1 }),
      objectOf(owner, "refund", { ...done, id: "f2", uuid: "n2", amountMinor: 20 }),
      objectOf(owner, "refund", { ...done, id: "f3", uuid: "N3-OLD", amountMinor: 300 }),
    ]);
    await write(kv, [
      paymentOf("NARROW", { uuid: "n4", at: "2026-10-26T10:00:00Z", terminalId: "T2", method: "PAYBYLINK", amountCents: 4 }),
    ]);
    await writeObjects(kv, [objectOf(owner, "refund", { ...done, id: "f4", uuid: "n4", amountMinor: 4_000 })]);
    const { reports } = readersOf(kv);
    const refundsOf = async (filter: { terminalId?: string; method?: "PAYBYLINK" | "CARD"; currency?: string }) => {
      const { totals } = await reports.report("payments", owner, { edges: CHANGE, ...filter });
      return totals.map(({ volumeMinor, refundedMinor }) => [volumeMinor, refundedMinor]);
    };
    assert.deepEqual(await refundsOf({}), [[304, 4_321]]);
    assert.deepEqual(await refundsOf({ terminalId: "T1" }), [[100, 1]]);
    assert.deepEqual(await refundsOf({ terminalId: "T2" }), [[204, 4_320]]);
    assert.deepEqual(await refundsOf({ method: "PAYBYLINK" }), [[204, 4_320]]);
    assert.deepEqual(await refundsOf({ terminalId: "T2", method: "CARD" }), []);
    assert.deepEqual(await refundsOf({ currency: "CHF" }), []);
  });

  it("reports methods: each method, brand and entry, and declines by code and message", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("METHODS");
    const noon = "2026-10-24T10:00:00Z";
    await stored(owner, [
      { uuid: "m1", at: noon, amountCents: 100, brand: "VISA", entry: "NFC" },
      { uuid: "m2", at: noon, amountCents: 300, brand: "VISA", entry: "ICC" },
      { uuid: "m3", at: noon, amountCents: 50, brand: "MASTERCARD", entry: "NFC" },
      { uuid: "m4", at: noon, amountCents: 70, status: "KO", brand: "MASTERCARD", actionCode: "116", message: "INSUFFICIENT FUNDS" },
      {
        uuid: "m5",
        at: "2026-10-26T10:00:00Z",
        amountCents: 30,
        status: "KO",
        brand: "VISA",
        actionCode: "116",
        message: "INSUFFICIENT FUNDS",
      },
      { uuid: "m6", at: noon, amountCents: 90, status: "KO", brand: "VISA", actionCode: "116", message: "Fondi insufficienti" },
      { uuid: "m7", at: noon, method: "SATISPAY", amountCents: 1_000, brand: "NONE" },
      { uuid: "m8", at: noon, method: "PAYBYLINK", status: "KO", amountCents: 5, actionCode: GATEWAY_RESULT.expired, message: "expired" },
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("methods", owner, { edges: CHANGE });
    const card = { currency: "EUR", method: "CARD" };
    assert.deepEqual(report.totals, [
      { currency: "EUR", volumeMinor: 450, approved: 3, declined: 3, method: "CARD" },
      { currency: "EUR", volumeMinor: 0, approved: 0, declined: 0, method: "PAYBYLINK" },
      { currency: "EUR", volumeMinor: 1_000, approved: 1, declined: 0, method: "SATISPAY" },
    ]);
    assert.deepEqual(report.buckets[1], []);
    assert.deepEqual(report.buckets[2], [{ ...card, volumeMinor: 0, approved: 0, declined: 1 }]);
    assert.deepEqual(report.brands, [
      { currency: "EUR", volumeMinor: 400, approved: 2, declined: 2, brand: "VISA" },
      { currency: "EUR", volumeMinor: 50, approved: 1, declined: 1, brand: "MASTERCARD" },
    ]);
    assert.deepEqual(report.entries, [
      { currency: "EUR", volumeMinor: 300, approved: 1, declined: 0, entry: "ICC" },
      { currency: "EUR", volumeMinor: 150, approved: 2, declined: 0, entry: "NFC" },
      { currency: "EUR", volumeMinor: 0, approved: 0, declined: 3, entry: "" },
    ]);
    assert.deepEqual(report.declines, [
      { currency: "EUR", actionCode: "116", declined: 2, declinedMinor: 100, message: "INSUFFICIENT FUNDS" },
      { currency: "EUR", actionCode: "116", declined: 1, declinedMinor: 90, message: "Fondi insufficienti" },
    ]);
  });

  it("reports terminals: the sums of each, and the number of active ones in all currencies", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("TERMINALS");
    await stored(owner, [
      { uuid: "t1", at: "2026-10-24T10:00:00Z", terminalId: "T1", amountCents: 100 },
      { uuid: "t2", at: "2026-10-24T11:00:00Z", terminalId: "T1", amountCents: 100, currency: "CHF" },
      { uuid: "t3", at: "2026-10-24T10:00:00Z", terminalId: "T2", status: "KO" },
      { uuid: "t4", at: "2026-10-26T10:00:00Z", terminalId: "T1", amountCents: 50 },
      { uuid: "t5", at: "2026-10-26T10:00:00Z", terminalId: "GW1", method: "PAYBYLINK", amountCents: 900 },
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("terminals", owner, { edges: CHANGE });
    assert.deepEqual(report.activeTerminals, [2, 0, 1]);
    assert.equal(report.activeTerminalsInAll, 2);
    assert.deepEqual(report.totals, [
      { currency: "CHF", volumeMinor: 100, approved: 1, declined: 0 },
      { currency: "EUR", volumeMinor: 1_050, approved: 3, declined: 1 },
    ]);
    assert.deepEqual(report.buckets[2], [{ currency: "EUR", volumeMinor: 950, approved: 2, declined: 0 }]);
    const at = (text: string) => Date.parse(text);
    assert.deepEqual(report.terminals, [
      { currency: "EUR", volumeMinor: 900, approved: 1, declined: 0, terminalId: "GW1", lastAtMs: at("2026-10-26T10:00:00Z") },
      { currency: "EUR", volumeMinor: 150, approved: 2, declined: 0, terminalId: "T1", lastAtMs: at("2026-10-26T10:00:00Z") },
      { currency: "CHF", volumeMinor: 100, approved: 1, declined: 0, terminalId: "T1", lastAtMs: at("2026-10-24T11:00:00Z") },
      { currency: "EUR", volumeMinor: 0, approved: 0, declined: 1, terminalId: "T2", lastAtMs: at("2026-10-24T10:00:00Z") },
    ]);
    assert.deepEqual((await reports.report("terminals", owner, { edges: CHANGE, currency: "CHF" })).activeTerminals, [1, 0, 0]);
  });

  it("reports a heat map of clock hours, with a repeated hour as one, and of weekdays", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("HEAT");
    await stored(owner, [
      // Sunday, 02:30 on the clock both times.
      { uuid: "h1", at: "2026-10-25T00:30:00Z", amountCents: 100 },
      { uuid: "h2", at: "2026-10-25T01:30:00Z", amountCents: 200 },
      // Saturday 23:59 and Monday 00:00.
      { uuid: "h3", at: "2026-10-24T21:59:59Z", amountCents: 1 },
      { uuid: "h4", at: "2026-10-25T23:00:00Z", status: "KO" },
      { uuid: "h5", at: "2026-10-18T00:30:00Z", amountCents: 5_000 },
    ]);
    const { reports } = readersOf(kv);
    const [fromMs = 0, , , untilMs = 0] = CHANGE;
    const report = await reports.report("heatmap", owner, { fromMs, untilMs, offsets: clockOffsets(fromMs, untilMs, ROME) });
    const cells = [...report.cells].sort((one, other) => one.weekday - other.weekday);
    assert.deepEqual(cells, [
      { currency: "EUR", volumeMinor: 0, approved: 0, declined: 1, weekday: 1, hour: 0 },
      { currency: "EUR", volumeMinor: 1, approved: 1, declined: 0, weekday: 6, hour: 23 },
      { currency: "EUR", volumeMinor: 300, approved: 2, declined: 0, weekday: 7, hour: 2 },
    ]);
    assert.deepEqual(report.totals, [{ currency: "EUR", volumeMinor: 301, approved: 3, declined: 1 }]);
  });

  it("reports links by the day of their creation, whatever their outcome, with the median time to payment", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("LINKS");
    const at = "2026-10-24T10:00:00Z";
    const links: ObjectMembers[] = [
      { id: "l1", at, state: "PAID", ended: "2026-10-24T10:10:00Z", category: "user", amountMinor: 100 },
      { id: "l2", at, state: "PAID", ended: "2026-10-24T10:30:00Z", category: "user", amountMinor: 200 },
      { id: "l3", at, state: "PAID", ended: "2026-10-30T10:00:00Z", category: "agent", parent: "ac_1", reason: "late", amountMinor: 400 },
      { id: "l4", at, state: "EXPIRED", ended: "2026-10-25T10:00:00Z", category: "key" },
      { id: "l5", at, state: "CANCELLED", ended: "2026-10-25T10:00:00Z", category: "key" },
      { id: "l6", at, state: "PENDING", category: "key" },
      { id: "l7", at: "2026-10-26T22:59:59Z", state: "EXPIRED", category: "agent", parent: "ac_2", currency: "CHF" },
      { id: "l8", at: "2026-10-26T23:00:00Z", state: "PAID", ended: "2026-10-27T10:00:00Z", category: "user" },
    ];
    await storeObjects(client, [
      ...links.map((link) => objectOf(owner, "link", link)),
      // The version before the payment.
      objectOf(owner, "link", { id: "l1", at, state: "PENDING", category: "user", amountMinor: 100, changed: "2026-10-24T10:00:00Z" }),
      objectOf({ ...owner, livemode: true }, "link", { id: "l9", at, state: "PAID", category: "user" }),
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("links", owner, { edges: CHANGE });
    // The median of 10, 30 and 8,640 minutes is 30.
    const eur = {
      ...{ currency: "EUR", created: 6, createdMinor: 3_700, paid: 3, paidMinor: 700, cancelled: 1, expired: 1 },
      ...{ late: 1, pending: 1, medianMinutesToPay: 30 },
    };
    const chf = {
      ...{ currency: "CHF", created: 1, createdMinor: 1_000, paid: 0, paidMinor: 0, cancelled: 0, expired: 1 },
      ...{ late: 0, pending: 0, medianMinutesToPay: null },
    };
    assert.deepEqual(
      [report.buckets, report.totals],
      [
        [[eur], [], [chf]],
        [chf, eur],
      ],
    );
    assert.deepEqual(report.creators, [
      { currency: "EUR", created: 3, createdMinor: 3_000, paid: 0, paidMinor: 0, cancelled: 1, expired: 1, creator: "key" },
      { currency: "EUR", created: 2, createdMinor: 300, paid: 2, paidMinor: 300, cancelled: 0, expired: 0, creator: "user" },
      { currency: "CHF", created: 1, createdMinor: 1_000, paid: 0, paidMinor: 0, cancelled: 0, expired: 1, creator: "agent" },
      { currency: "EUR", created: 1, createdMinor: 400, paid: 1, paidMinor: 400, cancelled: 0, expired: 0, creator: "agent" },
    ]);
    const agents = await reports.report("agents", owner, { edges: CHANGE });
    const ofAgent = { created: 1, createdMinor: 400, paid: 1, paidMinor: 400, cancelled: 0, expired: 0 };
    assert.deepEqual(agents.buckets[0], [{ currency: "EUR", ...ofAgent }]);
    assert.deepEqual(
      agents.credentials.map(({ credentialId, currency, created, paid }) => [credentialId, currency, created, paid]),
      [
        ["ac_2", "CHF", 1, 0],
        ["ac_1", "EUR", 1, 1],
      ],
    );
  });

  it("reports received disputes and alerts, compared with the card payments of the same time", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("DISPUTES");
    const at = "2026-10-24T10:00:00Z";
    await stored(owner, [
      { uuid: "d1", at, amountCents: 1_000 },
      { uuid: "d2", at, amountCents: 3_000 },
      { uuid: "d3", at, status: "KO" },
      { uuid: "d4", at, method: "SATISPAY" },
      { uuid: "d5", at: "2026-10-25T10:00:00Z", amountCents: 10 },
    ]);
    await storeObjects(client, [
      objectOf(owner, "dispute", { id: "dp1", at, state: "WON", category: "FRAUD", amountMinor: 400 }),
      objectOf(owner, "dispute", { id: "dp2", at, state: "LOST", category: "FRAUD", reason: "accepted", amountMinor: 100 }),
      objectOf(owner, "dispute", { id: "dp3", at, state: "EXPIRED", category: "OTHER", amountMinor: 1 }),
      objectOf(owner, "dispute", { id: "dp4", at, state: "OPEN", category: "OTHER", amountMinor: 2 }),
      // Received after the range, and after an alert in it.
      objectOf(owner, "dispute", { id: "dp5", at: "2026-11-20T10:00:00Z", state: "OPEN", category: "OTHER", parent: "al3" }),
      objectOf(owner, "alert", { id: "al1", at, state: "REFUNDED", reason: "rule", amountMinor: 10 }),
      objectOf(owner, "alert", { id: "al2", at, state: "PREVENTED", reason: "network", amountMinor: 10 }),
      objectOf(owner, "alert", { id: "al3", at, state: "DECLINED", reason: "deadline", amountMinor: 10 }),
      objectOf(owner, "alert", { id: "al4", at, state: "DECLINED", reason: "invalid", amountMinor: 10 }),
      objectOf(owner, "alert", { id: "al5", at, state: "PENDING", amountMinor: 10 }),
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("disputes", owner, { edges: CHANGE });
    const first = {
      ...{ currency: "EUR", received: 4, receivedMinor: 503, won: 1, lost: 1, expired: 1 },
      ...{ cardPayments: 2, cardVolumeMinor: 4_000, alerts: 5, alertsMinor: 50, alertsRefunded: 1, alertsPrevented: 1 },
      ...{ alertsDeclined: 1, alertsInvalid: 1, alertsEscalated: 1 },
    };
    assert.deepEqual(report.buckets[0], [first]);
    assert.equal(report.buckets[1]?.[0]?.cardPayments, 1);
    assert.equal(report.buckets[1]?.[0]?.received, 0);
    assert.deepEqual(report.totals, [{ ...first, cardPayments: 3, cardVolumeMinor: 4_010 }]);
    assert.deepEqual(report.categories, [
      { currency: "EUR", received: 2, receivedMinor: 500, won: 1, lost: 1, expired: 0, category: "FRAUD" },
      { currency: "EUR", received: 2, receivedMinor: 3, won: 0, lost: 0, expired: 1, category: "OTHER" },
    ]);
  });

  it("reports subscriptions: the revenue at each month's end, starts and ends, and recovered cycles", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("SUBS");
    const subscription = (id: string, members: Partial<ObjectMembers>) =>
      objectOf(owner, "subscription", { id, at: "2026-01-01T10:00:00Z", activeSince: "2026-01-01T10:00:00Z", ...members });
    const charge = (id: string, at: string, members: Partial<ObjectMembers>) => {
      const [parent = "", , attempt = "1"] = id.split("-");
      return objectOf(owner, "charge", { id, at, parent, attempt: Number(attempt), ...members });
    };
    await storeObjects(client, [
      // Active since January.
      subscription("s1", { state: "ACTIVE", monthlyMinor: 1_000 }),
      charge("s1-1-1", "2026-01-01T10:00:00Z", { state: "paid", ended: "2026-01-01T10:05:00Z" }),
      // Its trial ended in August. Its revenue starts with the first payment.
      subscription("s2", { state: "ACTIVE", monthlyMinor: 200, activeSince: "2026-07-20T10:00:00Z" }),
      charge("s2-1-1", "2026-08-20T10:00:00Z", { state: "paid", ended: "2026-08-20T10:00:01Z" }),
      // Still in its trial, never paid, and ended within its trial: none belongs to any month.
      subscription("s3", { state: "TRIALING", monthlyMinor: 5_000, activeSince: "2026-08-01T10:00:00Z" }),
      objectOf(owner, "subscription", {
        id: "s4",
        at: "2026-08-01T10:00:00Z",
        ended: "2026-08-04T10:00:00Z",
        state: "CANCELLED",
        reason: "unpaid",
      }),
      subscription("s5", {
        state: "CANCELLED",
        reason: "customer",
        monthlyMinor: 7_000,
        ended: "2026-08-09T10:00:00Z",
        activeSince: "2026-08-01T10:00:00Z",
      }),
      // Ended by the customer in August, and by the policy in September.
      subscription("s6", { state: "CANCELLED", reason: "customer", monthlyMinor: 40, ended: "2026-08-31T21:59:59Z" }),
      charge("s6-1-1", "2026-01-01T10:00:00Z", { state: "paid", ended: "2026-01-01T10:05:00Z" }),
      subscription("s7", { state: "CANCELLED", reason: "dunning", monthlyMinor: 8, ended: "2026-09-30T10:00:00Z" }),
      charge("s7-1-1", "2026-01-01T10:00:00Z", { state: "paid", ended: "2026-01-01T10:05:00Z" }),
      charge("s7-2-1", "2026-09-01T10:00:00Z", { state: "failed", reason: "hard", ended: "2026-09-01T10:00:00Z" }),
      charge("s7-2-2", "2026-09-03T10:00:00Z", { state: "failed", reason: "soft", ended: "2026-09-03T10:00:00Z" }),
      // Its first payment after the trial failed. It is past due from then on, which counts.
      subscription("s8", { state: "PAST_DUE", monthlyMinor: 3, activeSince: "2026-08-15T10:00:00Z" }),
      charge("s8-1-1", "2026-09-10T10:00:00Z", { state: "asked", reason: "overdue" }),
      // Paused since September.
      subscription("s9", { state: "PAUSED", monthlyMinor: 100_000, changed: "2026-09-15T10:00:00Z" }),
      charge("s9-1-1", "2026-01-01T10:00:00Z", { state: "paid", ended: "2026-01-01T10:05:00Z" }),
      // Failed in August and paid four days later. The attempt that never reached the gateway is
      // not a failure.
      charge("s1-8-1", "2026-08-01T07:00:00Z", { state: "failed", reason: "lost", ended: "2026-08-01T07:00:00Z" }),
      charge("s1-8-2", "2026-08-01T10:00:00Z", { state: "failed", reason: "soft", ended: "2026-08-01T10:00:00Z" }),
      charge("s1-8-3", "2026-08-05T10:00:00Z", { state: "paid", ended: "2026-08-05T10:00:00Z" }),
      // Its link was unpaid for three days, and paid in the next month.
      charge("s1-9-1", "2026-08-25T10:00:00Z", { state: "paid", reason: "overdue", ended: "2026-09-02T10:00:00Z" }),
      // Only lost requests and then a payment: not a failure.
      charge("s1-7-1", "2026-08-02T10:00:00Z", { state: "failed", reason: "lost", ended: "2026-08-02T10:00:00Z" }),
      charge("s1-7-2", "2026-08-02T11:00:00Z", { state: "paid", ended: "2026-08-02T11:00:00Z" }),
      // Another currency.
      subscription("sx", { state: "ACTIVE", monthlyMinor: 9, currency: "CHF" }),
    ]);
    const { reports } = readersOf(kv);
    const report = await reports.report("subscriptions", owner, { edges: edges("2026-08-01", "2026-09-30", "month") });
    const [august, september] = report.buckets.map((bucket) => bucket.find(({ currency }) => currency === "EUR"));
    assert.deepEqual(august, {
      currency: "EUR",
      // These are s1, s7, s9 and, from the 20th, s2.
      ...{ active: 4, mrrMinor: 1_000 + 8 + 100_000 + 200 },
      ...{ activeBefore: 4, mrrBeforeMinor: 1_000 + 40 + 8 + 100_000 },
      ...{
        started: 1,
        startedMrrMinor: 200,
        churnedVoluntary: 1,
        churnedVoluntaryMrrMinor: 40,
        churnedDunning: 0,
        churnedDunningMrrMinor: 0,
      },
      // The eighth cycle of s1, after 4 days, and its ninth, overdue on the 28th and paid 5 days
      // later. The median of two is the lower one.
      ...{ failedCycles: 2, recoveredCycles: 2, medianDaysToRecover: 4 },
    });
    assert.deepEqual(september, {
      currency: "EUR",
      // These are s1, s2 and s8.
      ...{ active: 3, mrrMinor: 1_203, activeBefore: 4, mrrBeforeMinor: 101_208 },
      ...{ started: 1, startedMrrMinor: 3, churnedVoluntary: 0, churnedVoluntaryMrrMinor: 0, churnedDunning: 1, churnedDunningMrrMinor: 8 },
      ...{ failedCycles: 2, recoveredCycles: 0, medianDaysToRecover: null },
    });
    const [chf, eur] = report.totals;
    assert.equal(chf?.mrrMinor, 9);
    assert.deepEqual(eur, {
      ...{ currency: "EUR", active: 3, mrrMinor: 1_203, activeBefore: 4, mrrBeforeMinor: 101_048, started: 2, startedMrrMinor: 203 },
      ...{ churnedVoluntary: 1, churnedVoluntaryMrrMinor: 40, churnedDunning: 1, churnedDunningMrrMinor: 8 },
      ...{ failedCycles: 4, recoveredCycles: 2, medianDaysToRecover: 4 },
    });
    // A month has the same figures in every range, although a subscription that is ACTIVE now may
    // have been in its trial, and a paid charge unpaid.
    for (const [from, to, index] of [
      ["2026-07-01", "2026-07-31", 0],
      ["2026-08-01", "2026-08-31", 1],
      ["2026-09-01", "2026-09-30", 2],
    ] as const) {
      const whole = await reports.report("subscriptions", owner, { edges: edges("2026-07-01", "2026-09-30", "month") });
      const alone = await reports.report("subscriptions", owner, { edges: edges(from, to, "month") });
      assert.deepEqual(alone.buckets[0], whole.buckets[index], from);
      assert.deepEqual(alone.totals, whole.buckets[index], from);
    }
  });

  it("matches the list and the overview, including rows that ClickHouse does not have yet", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("EQUAL");
    const methods = ["CARD", "SATISPAY", "PAYBYLINK", "UNKNOWN"] as const;
    const payments = Array.from(
      { length: 60 },
      (_, index): PaymentMembers => ({
        ...{ uuid: `e${index}`, at: new Date(Date.parse("2026-10-24T00:00:00Z") + index * 4_000_000).toISOString() },
        ...{ method: methods[index % 4] ?? "CARD", status: index % 3 === 0 ? "KO" : "OK", amountCents: 100 + index },
        ...{ terminalId: `T${index % 2}`, currency: index % 5 === 0 ? "CHF" : "EUR" },
        ...(index % 9 === 3 ? { actionCode: GATEWAY_RESULT.expired } : {}),
      }),
    );
    await stored(owner, payments.slice(0, 40));
    // An already delivered row, a changed one and a new one.
    await write(
      kv,
      payments.slice(35).map((one) => paymentOf("EQUAL", one)),
    );
    await write(kv, [paymentOf("EQUAL", { ...payments[4], uuid: "e4", at: payments[4]?.at ?? "", status: "KO", revision: 2 })]);
    const { reports, list } = readersOf(kv);
    const [fromMs = 0, untilMs = 0] = [CHANGE[0], CHANGE.at(-1)];
    for (const filter of [{}, { terminalId: "T1" }, { method: "CARD" as const }, { currency: "EUR", terminalId: "T0" }]) {
      const { totals } = await reports.report("payments", owner, { edges: CHANGE, ...filter });
      for (const currency of ["CHF", "EUR"]) {
        if ("currency" in filter && filter.currency !== currency) continue;
        const rows = async (status: "OK" | "KO") => {
          const page = await list.page("EQUAL", { filter: { ...filter, fromMs, untilMs, currency, status }, after: null, limit: 200 });
          return page.items.map(({ transaction }) => transaction);
        };
        const [paid, refused] = [await rows("OK"), await rows("KO")];
        const volume = paid.reduce((sum, { amountCents }) => sum + amountCents, 0);
        const declined = refused.filter(({ method, auth }) => method !== "PAYBYLINK" || auth?.actionCode !== GATEWAY_RESULT.expired);
        const figures = totals.find((one) => one.currency === currency) ?? { volumeMinor: 0, approved: 0, declined: 0 };
        assert.deepEqual(
          [figures.volumeMinor, figures.approved, figures.declined],
          [volume, paid.length, declined.length],
          JSON.stringify(filter),
        );
      }
    }
    const day = await list.sums("EQUAL", { fromMs, untilMs });
    const { totals, buckets } = await reports.report("payments", owner, { edges: CHANGE });
    const tilesOf = (all: readonly { currency: string; volumeMinor: number; approved: number; declined: number }[]) =>
      all.map(({ currency, volumeMinor, approved, declined }) => ({ currency, volumeMinor, approved, declined }));
    assert.deepEqual(tilesOf(totals), day.sums);
    // Each day separately.
    for (const [index, bucket] of buckets.entries()) {
      const [dayFromMs = 0, dayUntilMs = 0] = CHANGE.slice(index);
      assert.deepEqual(tilesOf(bucket), (await list.sums("EQUAL", { fromMs: dayFromMs, untilMs: dayUntilMs })).sums);
    }
    const terminals = await reports.report("terminals", owner, { edges: CHANGE });
    const byTerminal = terminals.terminals.map(({ lastAtMs: _, ...figures }) => figures);
    const key = (one: { terminalId: string; currency: string }) => `${one.terminalId} ${one.currency}`;
    const sorted = <T extends { terminalId: string; currency: string }>(all: readonly T[]) =>
      [...all].sort((a, b) => (key(a) < key(b) ? -1 : 1));
    assert.deepEqual(sorted(byTerminal), sorted(day.byTerminal));
    const byMethod = (await reports.report("methods", owner, { edges: CHANGE })).totals;
    assert.deepEqual(
      [...byMethod].sort((a, b) => (a.method + a.currency < b.method + b.currency ? -1 : 1)),
      [...day.byMethod].sort((a, b) => (a.method + a.currency < b.method + b.currency ? -1 : 1)),
    );
  });

  it("counts a waiting row once in its newest version, and leaves newer versions to ClickHouse", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("WAITS");
    const at = "2026-10-24T10:00:00Z";
    const link = (id: string, state: string, changed: string, amountMinor = 1_000) =>
      objectOf(owner, "link", { id, at, state, changed, amountMinor, category: "user", ...(state === "PAID" ? { ended: changed } : {}) });
    await storeObjects(client, [link("w1", "PENDING", "2026-10-24T10:00:00Z"), link("w2", "PAID", "2026-10-24T12:00:00Z")]);
    await writeObjects(kv, [
      link("w1", "PENDING", "2026-10-24T10:00:00Z"),
      link("w1", "PAID", "2026-10-24T10:20:00Z"),
      link("w2", "PENDING", "2026-10-24T10:00:00Z"),
      link("w3", "PENDING", "2026-10-24T10:00:00Z"),
      objectOf(shopOf("OTHER"), "link", { id: "w4", at, state: "PAID", parent: 'x","merchantId":"WAITS' }),
      objectOf({ ...owner, livemode: true }, "link", { id: "w5", at, state: "PAID" }),
    ]);
    const { totals } = await readersOf(kv).reports.report("links", owner, { edges: CHANGE });
    assert.deepEqual(
      totals.map(({ created, paid, pending }) => ({ created, paid, pending })),
      [{ created: 3, paid: 2, pending: 1 }],
    );
  });

  it("shows the state before the first waiting row if too many rows wait for a query", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("MANY");
    await stored(owner, [{ uuid: "q0", at: "2026-10-24T10:00:00Z" }]);
    const waiting = Array.from({ length: 401 }, (_, index) => {
      return paymentOf("MANY", { uuid: `q${index + 1}`, at: new Date(Date.parse("2026-10-26T10:00:00Z") + index).toISOString() });
    });
    await write(kv, waiting);
    const report = await readersOf(kv).reports.report("payments", owner, { edges: CHANGE });
    assert.equal(report.asOfMs, Date.parse("2026-10-26T10:00:00Z"));
    assert.equal(report.totals[0]?.approved, 1);
  });

  it("includes some invalid currencies that terminals wrote, and every real one", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("ODD-CURRENCIES");
    const payment = (uuid: string, currency: string) => ({ uuid, at: "2026-10-24T10:00:00Z", currency, terminalId: `T-${uuid}` });
    // More rows of each than of a currency.
    const odd = Array.from({ length: 60 }, (_, index) => [
      payment(`y${index}`, `AMOUNT ${index}`),
      payment(`z${index}`, `AMOUNT ${index}`),
    ]);
    await stored(owner, [...odd.flat(), payment("y-eur", "EUR"), payment("y-chf", "CHF")]);
    const { reports } = readersOf(kv);
    const query = { edges: CHANGE };
    const [fromMs = 0, untilMs = 0] = [CHANGE[0], CHANGE.at(-1)];
    const heatmap = await reports.report("heatmap", owner, { fromMs, untilMs, offsets: clockOffsets(fromMs, untilMs, ROME) });
    const all = {
      payments: await reports.report("payments", owner, query),
      methods: await reports.report("methods", owner, query),
      terminals: await reports.report("terminals", owner, query),
      disputes: await reports.report("disputes", owner, query),
      heatmap: { totals: heatmap.totals, buckets: [heatmap.cells] },
    };
    for (const [name, { totals, buckets }] of Object.entries(all)) {
      const currencies = totals.map(({ currency }) => currency);
      assert.equal(currencies.length, REPORT_CURRENCIES_MAX, name);
      assert.deepEqual(currencies.slice(-2), ["CHF", "EUR"], name);
      assert.deepEqual((buckets[0] ?? []).map(({ currency }) => currency).sort(), currencies, name);
    }
    assert.equal(all.terminals.activeTerminalsInAll, 122);
  });

  it("shares a result for 15 s, per merchant, environment and query", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("SHARED");
    await stored(owner, [{ uuid: "s0", at: "2026-10-24T10:00:00Z" }]);
    let monotonicMs = 0;
    const clock = { nowMs: () => Date.parse(NOW), monotonicMs: () => monotonicMs };
    const reader = createMerchantReports({ kv, client: reportClient, clock, timers: machineTimers });
    const { report } = reportsOf(reader.text);
    const approved = async (of: MerchantScope, filter: { currency?: string } = {}) =>
      (await report("payments", of, { edges: CHANGE, ...filter })).totals[0]?.approved;
    assert.equal(await approved(owner), 1);
    await stored(owner, [{ uuid: "s1", at: "2026-10-24T11:00:00Z" }]);
    assert.equal(await approved(owner), 1);
    assert.equal(await approved(owner, { currency: "EUR" }), 2);
    assert.equal(await approved(shopOf("SHARED-NOT")), undefined);
    monotonicMs = 15_000;
    assert.equal(await approved(owner), 2);
  });

  it("matches nothing and breaks nothing with SQL", async (test) => {
    const kv = await kvOf(test);
    const owner = shopOf("SAFE-REPORT");
    const odd = ["' OR '1'='1", "'; DROP TABLE relay.merchant_objects; --", "\\' OR 1=1 --", "{starts:Array(Int64)}", "\0", "a b\t\n😀"];
    await stored(owner, [{ uuid: "x0", at: "2026-10-24T10:00:00Z" }]);
    await write(
      kv,
      odd.map((text, index) =>
        paymentOf("SAFE-REPORT", {
          uuid: `x${index + 1}`,
          at: "2026-10-24T10:00:00Z",
          status: "KO",
          message: text,
          brand: text,
          actionCode: text,
        }),
      ),
    );
    const { reports } = readersOf(kv);
    const { declines } = await reports.report("methods", owner, { edges: CHANGE });
    assert.deepEqual(declines.map(({ message }) => message).sort(), [...odd].sort());
    const names: ReportName[] = ["payments", "methods", "terminals", "links", "disputes", "subscriptions", "agents"];
    for (const text of odd) {
      for (const name of names) {
        assert.deepEqual((await reports.report(name, shopOf(text), { edges: CHANGE, currency: text })).asOfMs, Date.parse(NOW));
        if (name === "payments" || name === "methods" || name === "terminals") {
          const { totals } = await reports.report(name, owner, { edges: CHANGE, terminalId: text });
          assert.deepEqual(totals, []);
        }
      }
    }
    assert.equal((await reports.report("payments", owner, { edges: CHANGE })).totals[0]?.approved, 1);
  });

  it("rejects invalid buckets, and too many", async (test) => {
    const { reports } = readersOf(await kvOf(test));
    for (const wrong of [[], [1], [2, 1], [1, 1], Array.from({ length: 403 }, (_, index) => index)]) {
      await assert.rejects(reports.report("payments", shopOf("ANY"), { edges: wrong }), (error) => {
        return error instanceof RelayError && error.code === "invalid_request";
      });
    }
  });

  it("states without ClickHouse that reports are unavailable and payments continue", async (test) => {
    const kv = await kvOf(test);
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const address = closed.address();
    assert.ok(address !== null && typeof address === "object");
    await new Promise((resolve) => closed.close(resolve));
    const away = connectClickHouse({ url: `http://127.0.0.1:${address.port}`, ...ADMIN });
    test.after(() => away.close());
    const { reports } = readersOf(kv, { client: away });
    const refused = (text: RegExp) => (error: unknown) =>
      error instanceof RelayError && error.code === "unavailable" && text.test(error.message) && (error.retryAfterSeconds ?? 0) > 0;
    await assert.rejects(
      reports.report("payments", shopOf("AWAY"), { edges: CHANGE }),
      refused(/does not respond; retry later\. Payments/),
    );
    const missing: MerchantReports = reportsOf(missingMerchantReports("it is not here").text);
    await assert.rejects(missing.report("links", shopOf("AWAY"), { edges: CHANGE }), refused(/it is not here/));
  });
});
