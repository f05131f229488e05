import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import { totalsOf } from "../../../engine/reconciliation/figures.ts";
import { TransactionTotals } from "../../../http/exports/transaction-totals.ts";
import { usualColumns } from "../../../http/surfaces/merchant/exports/columns.ts";
import { itemOf } from "../../../http/surfaces/merchant/transaction-item.ts";
import { transactionsCsv } from "../../../http/surfaces/merchant/transactions-csv.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { dayCalendar } from "../../../infra/node/wiring/merchants/reconciliation.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { storeTimeZone } from "../../../storage/clickhouse/installation.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { createMerchantReports, reportsOf } from "../../../storage/reports/merchant-reports.ts";
import { createReconciliationRows } from "../../../storage/reports/reconciliation-rows.ts";
import { createMerchantTransactions } from "../../../storage/transactions/merchant-transactions.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, keysUnder, openKv, realClock, transactionRow, write } from "../feed/feed-world.ts";
import { objectOf, writeObjects } from "./merchant-reports-world.ts";

const ZONE = "Europe/Rome";
const LOCAL = createLocalTime(ZONE);
const CALENDAR = dayCalendar(ZONE);
const HOUR_MS = 3_600_000;

/** The days in Rome. The second has 25 hours. */
const DAYS = ["2026-10-24", "2026-10-25", "2026-10-26", "2026-10-27"].map(CALENDAR.boundsOf);
const [FIRST_MS, END_MS] = [DAYS[0]?.fromMs ?? 0, DAYS.at(-1)?.untilMs ?? 0];
const HOURS = (END_MS - FIRST_MS) / HOUR_MS;

/** The kinds of stored rows. The last four are not payments. */
const WHAT = ["card", "satispay", "voucher", "paid as receipt", "unasked card", "link", "check", "receipt", "cancel", "scan"] as const;
type What = (typeof WHAT)[number];
const NO_PAYMENTS: readonly What[] = ["check", "receipt", "cancel", "scan"];

/** The command of a result, and the method that it names. */
const RESULTS: Readonly<Record<What, { kind: TransactionRow["kind"]; service?: string; method: Transaction["method"] }>> = {
  card: { kind: "payment", service: "PAYCC", method: "CARD" },
  satispay: { kind: "payment", service: "PAYSAT", method: "SATISPAY" },
  voucher: { kind: "payment", service: "PAYBP", method: "VOUCHER" },
  "paid as receipt": { kind: "payment", service: "PAYTAG", method: "RECEIPT" },
  "unasked card": { kind: null, method: "CARD" },
  link: { kind: null, method: "PAYBYLINK" },
  check: { kind: "payment", service: "VERIFYTAG", method: "CARD" },
  receipt: { kind: null, method: "RECEIPT" },
  cancel: { kind: "cancel", service: "CANCEL", method: "UNKNOWN" },
  scan: { kind: "scan", service: "SCAN", method: "SCAN" },
};

interface Made {
  what: What;
  hour: number;
  isOk: boolean;
  amountMinor: number;
  currency: string;
  /** The refunds of a paid link, and their delays in hours. */
  refunds: readonly { part: "whole" | "part"; state: "done" | "unknown" | "refused"; afterHours: number }[];
  isDisputed: boolean;
  place: "clickhouse" | "outbox" | "both";
  refundPlace: "clickhouse" | "outbox" | "both";
}

const MADE: fc.Arbitrary<Made> = fc.record({
  what: fc.constantFrom(...WHAT, "link" as const, "link" as const),
  hour: fc.integer({ min: 0, max: HOURS - 1 }),
  isOk: fc.integer({ min: 0, max: 3 }).map((number) => number > 0),
  amountMinor: fc.integer({ min: 2, max: 99_999 }),
  currency: fc.constantFrom("EUR", "EUR", "CHF"),
  refunds: fc.array(
    fc.record({
      part: fc.constantFrom("whole" as const, "part" as const),
      state: fc.constantFrom("done" as const, "done" as const, "unknown" as const, "refused" as const),
      afterHours: fc.integer({ min: 1, max: 60 }),
    }),
    { maxLength: 2 },
  ),
  isDisputed: fc.boolean(),
  place: fc.constantFrom("clickhouse" as const, "outbox" as const, "both" as const),
  refundPlace: fc.constantFrom("clickhouse" as const, "outbox" as const, "both" as const),
});

/** Amounts by day (of the payment or of the refund) and currency. */
class Sums {
  readonly #sums = new Map<string, number>();

  add(day: string, currency: string, minor: number): void {
    const key = `${day} ${currency}`;
    this.#sums.set(key, (this.#sums.get(key) ?? 0) + minor);
  }

  /** Returns the amounts other than zero. */
  all(): [string, number][] {
    return [...this.#sums].filter(([, minor]) => minor !== 0).sort(([one], [other]) => (one < other ? -1 : 1));
  }

  inAll(): [string, number][] {
    const all = new Sums();
    for (const [key, minor] of this.#sums) all.add("all", key.slice("YYYY-MM-DD ".length), minor);
    return all.all();
  }
}

interface World {
  rows: { row: TransactionRow; place: Made["place"] }[];
  things: { row: ObjectRow; place: Made["place"] }[];
  /** The rest of approved payments, by the day of the payment. */
  byPayment: Sums;
  /** Approved payments less refunds, by the day of the refund. */
  byRefund: Sums;
  refunded: Sums;
}

function worldOf(shop: string, made: readonly Made[]): World {
  const world: World = { rows: [], things: [], byPayment: new Sums(), byRefund: new Sums(), refunded: new Sums() };
  const owner = { merchantId: shop, livemode: false };
  made.forEach(({ what, hour, isOk, amountMinor, currency, refunds, isDisputed, place, refundPlace }, index) => {
    const uuid = `${shop}-${index}`;
    const createdAtMs = FIRST_MS + hour * HOUR_MS;
    const { kind, service, method } = RESULTS[what];
    const status = isOk ? "OK" : "KO";
    const base = service === undefined ? transactionRow({ uuid, createdAtMs }) : endedRow({ uuid, createdAtMs });
    const row: TransactionRow = {
      ...{ ...base, kind, shop, unsolicited: kind === null && what !== "link" },
      transaction: { ...base.transaction, method, status, amountCents: amountMinor, currency },
    };
    if (service !== undefined && row.life !== undefined) row.life = { ...row.life, service };
    world.rows.push({ row, place });
    const day = CALENDAR.dayOf(createdAtMs);
    const isTaken = isOk && !NO_PAYMENTS.includes(what);
    if (isTaken) {
      world.byPayment.add(day, currency, amountMinor);
      world.byRefund.add(day, currency, amountMinor);
    }
    if (isDisputed) {
      const at = new Date(createdAtMs + HOUR_MS).toISOString();
      world.things.push({ row: objectOf(owner, "dispute", { id: `dp-${uuid}`, at, uuid, amountMinor, currency, state: "LOST" }), place });
    }
    if (what !== "link" || !isOk) return;
    // No amount is refunded twice: after a full refund, nothing is left for a second one.
    let leftMinor = amountMinor;
    refunds.forEach(({ part, state, afterHours }, nth) => {
      const minor = part === "whole" ? leftMinor : Math.floor(leftMinor / 2);
      if (minor === 0) return;
      const endedAtMs = createdAtMs + afterHours * HOUR_MS;
      const [at, ended] = [endedAtMs - 1_000, endedAtMs].map((ms) => new Date(ms).toISOString());
      const thing = objectOf(owner, "refund", {
        ...{ id: `re-${uuid}-${nth}`, at: at ?? "", uuid, amountMinor: minor, currency, state },
        ...(state === "unknown" || ended === undefined ? {} : { ended }),
      });
      world.things.push({ row: thing, place: refundPlace });
      if (state !== "done") return;
      leftMinor -= minor;
      world.byPayment.add(day, currency, -minor);
      world.refunded.add(day, currency, minor);
      world.byRefund.add(CALENDAR.dayOf(endedAtMs), currency, -minor);
    });
  });
  return world;
}

describe("the refunds in lists, files, reports, closed days and SQL", async () => {
  const clickhouse = await sharedClickHouse();
  const client = connectClickHouse({ url: clickhouse.clickhouse.url, ...ADMIN });
  const portalClient = connectClickHouse({ url: clickhouse.clickhouse.url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
  const sink = clickHouseSink(client);
  before(async () => {
    await migrate(client);
    await storeTimeZone(client, ZONE);
  });
  after(() => Promise.all([client.close(), portalClient.close()]));

  /** Returns the rows of a query for a day, a currency and a sum. */
  async function sqlSums(query: string): Promise<Sums> {
    const { status, text } = await ask(clickhouse, `${query} FORMAT JSONCompactEachRow`);
    assert.equal(status, 200, text);
    const sums = new Sums();
    for (const line of text.split("\n").filter((one) => one !== "")) {
      const [day, currency, minor]: [string, string, number | string] = JSON.parse(line);
      sums.add(day, currency, Number(minor));
    }
    return sums;
  }

  it("matches in every net amount, to the cent, by the day of the payment and by the day of the refund", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-refunds-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    // A day after the last refund, because reports cover the time up to now.
    const clock = { ...realClock, nowMs: () => END_MS + 100 * HOUR_MS };
    // A slow machine must not affect the result.
    const timers: Timers = { ...machineTimers, set: (ms, work) => machineTimers.set(ms * 20, work) };
    const parts = { kv, clock, timers, client: portalClient };
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(MADE, { minLength: 10, maxLength: 60 }), async (made) => {
        run += 1;
        const shop = `AGREE${run}`;
        const owner = { merchantId: shop, livemode: false };
        const { rows, things, byPayment, byRefund, refunded } = worldOf(shop, made);
        const stored = (place: Made["place"]) => place !== "outbox";
        const waits = (place: Made["place"]) => place !== "clickhouse";
        await deliver(
          sink,
          [...rows, ...things].filter(({ place }) => stored(place)).map(({ row }) => row),
        );
        await write(
          kv,
          rows.filter(({ place }) => waits(place)).map(({ row }) => row),
        );
        await writeObjects(
          kv,
          things.filter(({ place }) => waits(place)).map(({ row }) => row),
        );
        for (const where of ["some wait in the outbox", "all is in ClickHouse"]) {
          if (where === "all is in ClickHouse") {
            await deliver(
              sink,
              [...rows, ...things].map(({ row }) => row),
            );
            const keys = await keysUnder(kv, "o/");
            await kv.commit({ checks: [], operations: keys.map((key) => ({ type: "delete", key })) });
          }
          const list = createMerchantTransactions(parts);
          const [inList, listRefunds, inCsv, inXlsx] = [new Sums(), new Sums(), new Sums(), new Sums()];
          const { items } = await list.page(shop, { filter: {}, after: null, limit: 200 });
          for (const { createdAt, currency, netMinor, refundedMinor } of items.map(itemOf)) {
            const day = CALENDAR.dayOf(Date.parse(createdAt));
            inList.add(day, currency, netMinor);
            listRefunds.add(day, currency, refundedMinor);
          }
          const seen: MerchantTransaction[] = [];
          const totals = new TransactionTotals();
          const csv = transactionsCsv("en", LOCAL);
          const NET = csv.head.trim().split(",").indexOf("Net");
          for await (const batch of list.stream(shop, {})) {
            seen.push(...batch);
            for (const found of batch) totals.add(found);
            for (const line of csv.lines(batch).split("\r\n")) {
              const cells = line.split(",");
              if (line !== "") inCsv.add(cells[0]?.slice(0, 10) ?? "", cells[6] ?? "", Math.round(Number(cells[NET]) * 100));
            }
          }
          const columns = usualColumns("transactions");
          for (const cells of totals.rows({ list: "transactions", columns, lang: "en" })) {
            const net = cells[columns.indexOf("netAmount")];
            assert.ok(typeof net === "object" && net !== null && "minor" in net);
            inXlsx.add("all.......", net.currency, net.minor);
          }
          assert.deepEqual(inList.all(), byPayment.all(), `list: ${where}`);
          assert.deepEqual(listRefunds.all(), refunded.all(), `refunds in the list: ${where}`);
          assert.deepEqual(inCsv.all(), byPayment.all(), `CSV: ${where}`);
          assert.deepEqual(inXlsx.inAll(), byPayment.inAll(), `total row of XLSX: ${where}`);
          // A filter by refunded amount drops nothing and adds nothing.
          for (const refundState of ["NONE", "PARTLY_REFUNDED", "REFUNDED", "ANY"] as const) {
            const page = await list.page(shop, { filter: { refundState }, after: null, limit: 200 });
            const matching = seen.filter((found) => {
              const state = itemOf(found).refundState;
              return refundState === "ANY" ? state !== "NONE" : state === refundState;
            });
            assert.deepEqual(
              page.items.map(({ transaction }) => transaction.uuid).sort(),
              matching.map(({ transaction }) => transaction.uuid).sort(),
              `${refundState}: ${where}`,
            );
          }
          const edges = [...DAYS, ...[28, 29, 30, 31].map((day) => CALENDAR.boundsOf(`2026-10-${day}`))].map(({ fromMs }) => fromMs);
          const { buckets, totals: inAll } = await reportsOf(createMerchantReports(parts).text).report("payments", owner, { edges });
          const inReport = new Sums();
          buckets.forEach((bucket, index) => {
            for (const { currency, volumeMinor, refundedMinor } of bucket) {
              inReport.add(CALENDAR.dayOf(edges[index] ?? 0), currency, volumeMinor - refundedMinor);
            }
          });
          assert.deepEqual(inReport.all(), byRefund.all(), `analytics: ${where}`);
          // The rules differ only in the days.
          assert.deepEqual(inReport.inAll(), byPayment.inAll());
          // The approved number matches the list.
          assert.deepEqual(
            inAll.map(({ approved }) => approved).reduce((sum, one) => sum + one, 0),
            seen.filter(({ transaction }) => transaction.status === "OK").length,
          );
        }
        const figures = await createReconciliationRows({ kv, client }).figures(shop, DAYS);
        const closed = new Sums();
        for (const [day, of] of figures) for (const { currency, netMinor } of totalsOf(of)) closed.add(day, currency, netMinor);
        assert.deepEqual(closed.all(), byPayment.all(), "reconciliation");
        const local = (column: string) => `toString(toDate(toTimeZone(${column}, '${ZONE}')))`;
        const bySql = {
          payments_final: `SELECT ${local("created_at")} AS at, currency, sum(net_minor) FROM payments_final WHERE shop = '${shop}' GROUP BY at, currency`,
          reconciliation: `SELECT toString(day), currency, sum(net_minor) FROM reconciliation WHERE merchant_id = '${shop}' GROUP BY day, currency`,
          reconciliation_in: `SELECT toString(day), currency, sum(net_minor) FROM reconciliation_in(zone = '${ZONE}') WHERE merchant_id = '${shop}' GROUP BY day, currency`,
        };
        for (const [view, query] of Object.entries(bySql)) assert.deepEqual((await sqlSums(query)).all(), byPayment.all(), view);
        const daily = await sqlSums(
          `SELECT 'all.......', currency, sum(net_minor) FROM transactions_daily WHERE shop = '${shop}' GROUP BY currency`,
        );
        assert.deepEqual(daily.inAll(), byPayment.inAll(), "transactions_daily");
        const byRefundInSql = await sqlSums(`SELECT at, currency, sum(minor) FROM (
          SELECT ${local("created_at")} AS at, currency, amount_minor AS minor FROM payments_final WHERE shop = '${shop}' AND status = 'OK'
          UNION ALL
          SELECT ${local("ended_at")}, currency, -amount_minor FROM merchant_objects FINAL
          WHERE merchant_id = '${shop}' AND object = 'refund' AND state = 'done'
        ) GROUP BY at, currency`);
        assert.deepEqual(byRefundInSql.all(), byRefund.all(), "SQL by the day of the refund");
      }),
      { numRuns: 5, endOnFailure: true, includeErrorInReport: true },
    );
  });
});
