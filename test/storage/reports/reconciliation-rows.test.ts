import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { ConflictRow, LifeRow, TransactionRow } from "../../../engine/payments/feed-row.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { totalsOf } from "../../../engine/reconciliation/figures.ts";
import { LINES_MAX } from "../../../engine/reconciliation/reconciliation.ts";
import { dayCalendar } from "../../../infra/node/wiring/merchants/reconciliation.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { setAsideOperations } from "../../../storage/feed/set-aside.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import { createReconciliationRows } from "../../../storage/reports/reconciliation-rows.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { keysUnder, openKv, transactionRow, write } from "../feed/feed-world.ts";

const ROME = dayCalendar("Europe/Rome");

interface Members {
  uuid: string;
  at: string;
  shop?: string;
  terminalId?: string;
  status?: "OK" | "KO";
  method?: TransactionRow["transaction"]["method"];
  amountCents?: number;
  currency?: string;
  kind?: TransactionRow["kind"];
  revision?: number;
}

function row({
  uuid,
  at,
  shop = "SHOP",
  terminalId = "T1",
  currency = "EUR",
  method = "CARD",
  kind = "payment",
  ...rest
}: Members): TransactionRow {
  const base = transactionRow({ uuid, terminalId, createdAtMs: Date.parse(at), ...rest });
  return { ...base, kind, shop, transaction: { ...base.transaction, method, currency } };
}

function life(uuid: string, at: string, state: LifeRow["state"], change: Partial<LifeRow> = {}): LifeRow {
  const acceptedAtMs = Date.parse(at);
  return {
    ...{
      type: "life",
      version: rowVersion(state, 1),
      uuid,
      terminalId: "T1",
      kind: "payment",
      service: "PAYCC",
      amountCents: 100,
      sender: "x",
    },
    ...{ state, acceptedAtMs, sentAtMs: acceptedAtMs + 1, finishedAtMs: acceptedAtMs + 120_000, channel: "poll", attempt: 1, shop: "SHOP" },
    ...change,
  };
}

function conflict(uuid: string, at: string, terminalId = "T1"): ConflictRow {
  return { type: "conflict", id: `${uuid}-${at}`, uuid, terminalId, postedBy: "fleet", atMs: Date.parse(at), raw: "{}" };
}

describe("the figures that close a day", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const sink = clickHouseSink(client);
  before(() => migrate(client));
  after(() => client.close());

  async function kvOf(test: TestContext): Promise<EmbeddedKv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-days-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    return kv;
  }

  /** Inserts an object of a merchant as the feed does. */
  async function object(
    object: string,
    id: string,
    at: string,
    state: string,
    amountMinor: number,
    merchantId = "SHOP",
    version = 1,
    uuid = "",
  ): Promise<void> {
    const createdAt = new Date(at).toISOString().replace("T", " ").replace("Z", "");
    await client.insert({
      table: "relay.merchant_objects",
      format: "JSONEachRow",
      values: [
        {
          ...{ merchant_id: merchantId, livemode: true, object, day: createdAt.slice(0, 10), created_at: createdAt, id, version, state },
          ...{ category: "user", reason: "", amount_minor: amountMinor, currency: "EUR", uuid, parent: "", attempt: 0 },
          ...{ due_at: null, active_at: null, ended_at: state === "done" ? createdAt : null, monthly_minor: 0, store_version: 1 },
        },
      ],
    });
  }

  it("sums a merchant's rows by local day across both clock changes, with the newest version of each", async (test) => {
    const rows = createReconciliationRows({ kv: await kvOf(test), client });
    await deliver(sink, [
      // The day with 25 hours in Rome: from 22:00 UTC on the 24th to 23:00 UTC on the 25th.
      row({ uuid: "before", at: "2026-10-24T21:59:59.999Z", amountCents: 1 }),
      row({ uuid: "first", at: "2026-10-24T22:00:00Z", amountCents: 1_000 }),
      row({ uuid: "twice-1", at: "2026-10-25T00:30:00Z", amountCents: 2_000 }),
      row({ uuid: "twice-2", at: "2026-10-25T01:30:00Z", amountCents: 50, status: "KO" }),
      row({ uuid: "last", at: "2026-10-25T22:59:59.999Z", amountCents: 4_000, terminalId: "T2", method: "SATISPAY" }),
      row({ uuid: "after", at: "2026-10-25T23:00:00Z", amountCents: 7 }),
      row({ uuid: "yen", at: "2026-10-25T10:00:00Z", amountCents: 900, currency: "JPY" }),
      row({ uuid: "changed", at: "2026-10-25T11:00:00Z", amountCents: 10 }),
      row({ uuid: "changed", at: "2026-10-25T11:00:00Z", amountCents: 30, revision: 2 }),
      row({ uuid: "by-link", at: "2026-10-25T13:00:00Z", kind: null, method: "PAYBYLINK", amountCents: 800 }),
      // Rows that are not payments belong to no day.
      row({ uuid: "a-receipt", at: "2026-10-25T12:00:00Z", kind: null, method: "RECEIPT" }),
      row({ uuid: "scan", at: "2026-10-25T12:00:00Z", kind: "scan", method: "SCAN" }),
      row({ uuid: "others", at: "2026-10-25T12:00:00Z", shop: "OTHER" }),
      life("nobody-knows", "2026-10-25T09:00:00Z", "unknown"),
      life("known-late", "2026-10-25T09:00:01Z", "unknown"),
      life("expired", "2026-10-25T09:00:02Z", "expired"),
      life("of-another", "2026-10-25T09:00:03Z", "unknown", { shop: "OTHER" }),
      life("a-scan", "2026-10-25T09:00:04Z", "unknown", { kind: "scan" }),
      life("next-day", "2026-10-25T23:30:00Z", "unknown"),
      conflict("first", "2026-10-26T08:00:00Z"),
      conflict("first", "2026-10-26T09:00:00Z"),
      conflict("last", "2026-10-26T08:00:00Z", "T1"),
    ]);
    await object("link", "pl_1", "2026-10-25T10:00:00Z", "PENDING", 500);
    await object("link", "pl_1", "2026-10-25T10:00:00Z", "PAID", 500, "SHOP", 2);
    await object("link", "pl_2", "2026-10-25T10:00:00Z", "EXPIRED", 100);
    // A refund requested on the day for a payment of another day, and one requested days later for
    // a payment of this day.
    await object("refund", "re_1", "2026-10-25T10:00:00Z", "done", 1_000);
    await object("refund", "re_2", "2026-11-15T10:00:00Z", "done", 300, "SHOP", 1, "by-link");
    await object("refund", "re_3", "2026-11-15T10:00:00Z", "refused", 500, "SHOP", 1, "by-link");
    await object("refund", "re_4", "2026-11-15T10:00:00Z", "done", 400, "OTHER", 1, "by-link");
    // Only payments by link can be refunded here.
    await object("refund", "re_5", "2026-10-25T10:00:00Z", "unknown", 70, "SHOP", 1, "first");
    await object("dispute", "dp_1", "2026-10-25T10:00:00Z", "OPEN", 1_000);
    const days = ["2026-10-24", "2026-10-25", "2026-10-26"].map(ROME.boundsOf);
    const found = await rows.figures("SHOP", days);
    const line = { terminalId: "T1", method: "CARD", status: "OK", currency: "EUR" };
    assert.deepEqual(found.get("2026-10-24")?.payments, [{ ...line, count: 1, amountMinor: 1 }]);
    assert.deepEqual(found.get("2026-10-26")?.payments, [{ ...line, count: 1, amountMinor: 7 }]);
    const closed = found.get("2026-10-25");
    assert.deepEqual(closed, {
      payments: [
        { ...line, status: "KO", count: 1, amountMinor: 50 },
        { ...line, count: 3, amountMinor: 3_030 },
        { ...line, currency: "JPY", count: 1, amountMinor: 900 },
        { ...line, method: "PAYBYLINK", count: 1, amountMinor: 800 },
        { ...line, terminalId: "T2", method: "SATISPAY", count: 1, amountMinor: 4_000 },
      ],
      refunded: [{ ...line, method: "PAYBYLINK", count: 1, amountMinor: 300 }],
      links: [
        { state: "EXPIRED", currency: "EUR", count: 1, amountMinor: 100 },
        { state: "PAID", currency: "EUR", count: 1, amountMinor: 500 },
      ],
      refunds: [
        { state: "done", currency: "EUR", count: 1, amountMinor: 1_000 },
        { state: "unknown", currency: "EUR", count: 1, amountMinor: 70 },
      ],
      unknown: {
        count: 2,
        items: [
          { uuid: "nobody-knows", terminalId: "T1" },
          { uuid: "known-late", terminalId: "T1" },
        ],
      },
      conflicting: { count: 1, items: [{ uuid: "first", terminalId: "T1" }] },
    });
    // After a late result, its command is not unknown any more, and the result belongs to the day
    // of its arrival.
    await deliver(sink, [
      { ...row({ uuid: "known-late", at: "2026-10-26T09:00:00Z", amountCents: 100 }) },
      life("known-late", "2026-10-25T09:00:01Z", "done", {
        version: rowVersion("done", 2),
        finishedAtMs: Date.parse("2026-10-26T09:00:00Z"),
      }),
    ]);
    const later = await rows.figures("SHOP", days);
    assert.deepEqual(later.get("2026-10-25"), { ...closed, unknown: { count: 1, items: [{ uuid: "nobody-knows", terminalId: "T1" }] } });
    assert.deepEqual(later.get("2026-10-26")?.payments, [{ ...line, count: 2, amountMinor: 107 }]);

    // The view for analysts shows the same figures.
    const shown = await ask(
      world,
      `SELECT item, terminal_id, method, state, currency, transactions, total_minor FROM relay.reconciliation_in(zone = 'Europe/Rome')
       WHERE merchant_id = 'SHOP' AND day = '2026-10-25' ORDER BY ALL FORMAT JSONCompactEachRow`,
    );
    assert.equal(shown.status, 200, shown.text);
    const lines = shown.text
      .trim()
      .split("\n")
      .map((text) => (JSON.parse(text) as unknown[]).map((value, index) => (index > 4 ? Number(value) : value)));
    const expected = [
      ...(closed?.links ?? []).map(({ state, currency, count, amountMinor }) => ["links", "", "", state, currency, count, amountMinor]),
      ...(closed?.payments ?? []).map(({ terminalId, method, status, currency, count, amountMinor }) => [
        ...["payments", terminalId, method, status, currency, count, amountMinor],
      ]),
      ...(closed?.refunds ?? []).map(({ state, currency, count, amountMinor }) => ["refunds", "", "", state, currency, count, amountMinor]),
    ];
    const text = (values: unknown[][]) => values.map((value) => JSON.stringify(value)).sort();
    assert.deepEqual(text(lines), text(expected));
    // The view still exists under its previous name.
    const before = await ask(
      world,
      "SELECT sum(net_minor) FROM reconciliation(zone = 'Europe/Rome') WHERE merchant_id = 'SHOP' AND day = '2026-10-25'",
    );
    assert.equal(Number(before.text), 7_530 + 900);
    assert.deepEqual(totalsOf(closed ?? { payments: [] }), [
      { currency: "EUR", approved: 5, approvedMinor: 7_830, declined: 1, refunds: 1, refundedMinor: 300, netMinor: 7_530 },
      { currency: "JPY", approved: 1, approvedMinor: 900, declined: 0, refunds: 0, refundedMinor: 0, netMinor: 900 },
    ]);
  });

  it("combines a merchant's terminals on days with too many lines, however many lines there are in total", async (test) => {
    const rows = createReconciliationRows({ kv: await kvOf(test), client });
    const days = Array.from({ length: 35 }, (_, index) => ROME.boundsOf(ROME.after("2024-03-01", index)));
    // Each day but the last has a payment of each of seven thousand terminals: a quarter of a
    // million lines.
    await client.command({
      query: `INSERT INTO relay.merchant_transactions (merchant_id, day, created_at, uuid, terminal_id, version, method, status, amount_cents, currency, command_kind)
        SELECT 'LARGE', toDate(at), at, toString(number), concat('T', toString(number % 7000)), 1, 'CARD', 'OK', 10, 'EUR', 'payment'
        FROM (SELECT number, toDateTime64('2024-03-01 10:00:00', 3, 'UTC') + toIntervalDay(intDiv(number, 7000)) AS at FROM numbers(${34 * 7_000}))`,
    });
    await deliver(sink, [row({ uuid: "alone", at: "2024-04-04T10:00:00Z", shop: "LARGE", amountCents: 100 })]);
    const found = await rows.figures("LARGE", days);
    const line = { method: "CARD", status: "OK", currency: "EUR" };
    for (const { day } of days.slice(0, -1)) {
      assert.deepEqual(found.get(day)?.payments, [{ terminalId: null, ...line, count: 7_000, amountMinor: 70_000 }], day);
    }
    assert.deepEqual(found.get("2024-04-04")?.payments, [{ terminalId: "T1", ...line, count: 1, amountMinor: 100 }]);
  });

  it("has a line for each terminal up to the limit of a day", async (test) => {
    const rows = createReconciliationRows({ kv: await kvOf(test), client });
    await client.command({
      query: `INSERT INTO relay.merchant_transactions (merchant_id, day, created_at, uuid, terminal_id, version, method, status, amount_cents, currency, command_kind)
        SELECT 'FITS', '2024-03-01', toDateTime64('2024-03-01 10:00:00', 3, 'UTC'), toString(number), concat('T', toString(number)), 1, 'CARD', 'OK', 10, 'EUR', 'payment'
        FROM numbers(${LINES_MAX})`,
    });
    const day = ROME.boundsOf("2024-03-01");
    assert.equal((await rows.figures("FITS", [day])).get(day.day)?.payments.length, LINES_MAX);
    await deliver(sink, [row({ uuid: "one-more", at: "2024-03-01T11:00:00Z", shop: "FITS", terminalId: "T-more", amountCents: 10 })]);
    assert.deepEqual((await rows.figures("FITS", [day])).get(day.day)?.payments, [
      { terminalId: null, method: "CARD", status: "OK", currency: "EUR", count: LINES_MAX + 1, amountMinor: (LINES_MAX + 1) * 10 },
    ]);
  });

  it("lists the merchants with any rows, ordered by id", async (test) => {
    const rows = createReconciliationRows({ kv: await kvOf(test), client });
    await deliver(sink, [
      row({ uuid: "m1", at: "2025-02-03T10:00:00Z", shop: "M-1" }),
      row({ uuid: "m1-again", at: "2025-02-03T11:00:00Z", shop: "M-1" }),
      row({ uuid: "m9", at: "2025-02-09T10:00:00Z", shop: "M-9" }),
      row({ uuid: "of-nobody", at: "2025-02-03T10:00:00Z", shop: "" }),
      life("m3", "2025-02-03T10:00:00Z", "unknown", { shop: "M-3" }),
    ]);
    await object("link", "pl_m2", "2025-02-03T10:00:00Z", "PENDING", 1, "M-2");
    const { fromMs, untilMs } = ROME.boundsOf("2025-02-03");
    const range = { fromMs, untilMs };
    assert.deepEqual(await rows.merchants(range, null, 10), ["M-1", "M-2", "M-3"]);
    assert.deepEqual(await rows.merchants(range, null, 2), ["M-1", "M-2"]);
    assert.deepEqual(await rows.merchants(range, "M-2", 10), ["M-3"]);
  });

  it("finds merchants of which no row of the day is left", async (test) => {
    const rows = createReconciliationRows({ kv: await kvOf(test), client });
    const at = "2025-02-04T10:00:00Z";
    await deliver(sink, [life("taken-back", at, "unknown", { shop: "ONLY-UNKNOWN" })]);
    // The terminal reported that it executed nothing. There is no result, and the earlier row is
    // merged away.
    await deliver(sink, [life("taken-back", at, "cancelled", { shop: "ONLY-UNKNOWN", version: rowVersion("cancelled", 2) })]);
    await client.command({ query: "OPTIMIZE TABLE relay.command_lives FINAL" });
    const { fromMs, untilMs } = ROME.boundsOf("2025-02-04");
    assert.deepEqual(await rows.merchants({ fromMs, untilMs }, null, 10), ["ONLY-UNKNOWN"]);
  });

  it("reports complete rows only if the outbox has none of that time and none was rejected", async (test) => {
    const kv = await kvOf(test);
    const rows = createReconciliationRows({ kv, client });
    const atMs = Date.parse("2026-11-23T10:00:00Z");
    assert.equal(await rows.areThere(atMs + 1), "all");
    await write(kv, [row({ uuid: "waits", at: "2026-11-23T10:00:00Z" })], atMs);
    assert.equal(await rows.areThere(atMs + 1), "some wait");
    assert.equal(await rows.areThere(atMs), "all", "it was written later");
    const [key = ""] = await keysUnder(kv, "o/");
    const value = (await kv.get(key))?.value ?? "";
    await kv.commit({ checks: [], operations: setAsideOperations({ key, value }, "refused", atMs) });
    assert.equal(await rows.areThere(atMs + 1), "some were refused");
    assert.equal(await rows.areThere(atMs), "all");
  });

  it("rejects without ClickHouse", async (test) => {
    const away = connectClickHouse({ url: "http://127.0.0.1:1", ...ADMIN });
    test.after(() => away.close());
    const rows = createReconciliationRows({ kv: await kvOf(test), client: away });
    const isAway = (error: unknown) => error instanceof RelayError && error.code === "unavailable";
    await assert.rejects(rows.merchants({ fromMs: 1, untilMs: 2 }, null, 1), isAway);
    await assert.rejects(rows.figures("SHOP", [ROME.boundsOf("2026-11-23")]), isAway);
  });
});
