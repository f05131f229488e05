import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { MerchantTransaction, MerchantTransactionFilter, TransactionKey } from "../../../engine/payments/merchant-transactions.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import {
  createMerchantTransactions,
  type MerchantTransactionReader,
  missingMerchantTransactions,
} from "../../../storage/transactions/merchant-transactions.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, keysUnder, openKv, realClock, START_MS, transactionRow, write } from "../feed/feed-world.ts";

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** An age within each of the windows of a page, and one after the last. */
const AGES_DAYS = [0, 1, 5, 20, 100, 400];

interface Members {
  uuid: string;
  shop?: string;
  terminalId?: string;
  createdAtMs?: number;
  revision?: number;
  status?: "OK" | "KO";
  method?: TransactionRow["transaction"]["method"];
  kind?: TransactionRow["kind"];
  amountCents?: number;
  currency?: string;
  authCode?: string;
  actionCode?: string;
  pan?: string;
}

function rowOf({
  uuid,
  shop,
  terminalId = "T1",
  createdAtMs,
  revision,
  status,
  method,
  kind,
  amountCents,
  ...members
}: Members): TransactionRow {
  const base = transactionRow({ uuid, terminalId, ...(createdAtMs === undefined ? {} : { createdAtMs }), revision: revision ?? 1 });
  return {
    ...base,
    kind: kind === undefined ? "payment" : kind,
    ...(shop === undefined ? {} : { shop }),
    transaction: {
      ...base.transaction,
      method: method ?? "CARD",
      status: status ?? "OK",
      amountCents: amountCents ?? 1_234,
      currency: members.currency ?? "EUR",
      auth: {
        ...(members.authCode === undefined ? {} : { authCode: members.authCode }),
        ...(members.actionCode === undefined ? {} : { actionCode: members.actionCode }),
      },
      card: { brand: "VISA", maskedPan: members.pan ?? "************1234", entry: "NFC" },
    },
  };
}

const uuidsOf = (items: readonly MerchantTransaction[]) => items.map(({ transaction }) => transaction.uuid);

function unavailable(text: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof RelayError);
    assert.equal(error.code, "unavailable");
    assert.match(error.message, text);
    assert.ok((error.retryAfterSeconds ?? 0) > 0);
    return true;
  };
}

describe("the transactions of merchants", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const portalClient = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
  const sink = clickHouseSink(client);
  before(() => migrate(client));
  after(() => Promise.all([client.close(), portalClient.close()]));

  async function kvOf(test: TestContext): Promise<EmbeddedKv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-merchants-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    return kv;
  }

  function readerOf(kv: EmbeddedKv, options: { nowMs?: () => number; client?: typeof client } = {}): MerchantTransactionReader {
    return createMerchantTransactions({
      kv,
      client: options.client ?? portalClient,
      clock: { ...realClock, nowMs: options.nowMs ?? (() => START_MS + 1_000) },
      timers: machineTimers,
    });
  }

  async function allPages(
    reader: MerchantTransactionReader,
    merchantId: string,
    filter: MerchantTransactionFilter,
    limit: number,
  ): Promise<MerchantTransaction[]> {
    const found: MerchantTransaction[] = [];
    let after: TransactionKey | null = null;
    do {
      const page: Awaited<ReturnType<MerchantTransactionReader["page"]>> = await reader.page(merchantId, { filter, after, limit });
      assert.ok(page.items.length <= limit);
      found.push(...page.items);
      after = page.next;
    } while (after !== null);
    return found;
  }

  async function allStreamed(reader: MerchantTransactionReader, merchantId: string, filter: MerchantTransactionFilter = {}) {
    const found: MerchantTransaction[] = [];
    for await (const batch of reader.stream(merchantId, filter)) found.push(...batch);
    return found;
  }

  it("returns stored transactions from ClickHouse and the outbox, newest first", async (test) => {
    const kv = await kvOf(test);
    const reader = readerOf(kv);
    const stored = { ...rowOf({ uuid: "stored", shop: "BACK" }), amountDiffers: true };
    const waiting = { ...rowOf({ uuid: "waiting", shop: "BACK", createdAtMs: START_MS + 1 }), unsolicited: true };
    await deliver(sink, [stored]);
    await write(kv, [waiting]);
    const payment = { isPayment: true, refundedMinor: 0 };
    const expected = [
      { transaction: waiting.transaction, amountDiffers: false, unsolicited: true, ...payment },
      { transaction: stored.transaction, amountDiffers: true, unsolicited: false, ...payment },
    ];
    assert.deepEqual(await reader.page("BACK", { filter: {}, after: null, limit: 10 }), { items: expected, next: null });
    assert.deepEqual(await allStreamed(reader, "BACK"), expected);
    assert.deepEqual(await reader.find("BACK", "stored"), expected[1]);
    assert.deepEqual(await reader.find("BACK", "waiting"), expected[0]);
    assert.equal(await reader.find("BACK", "neither"), null);
  });

  it("excludes rows of other merchants, and rows whose terminal only claims to belong to this one", async (test) => {
    const kv = await kvOf(test);
    const own = rowOf({ uuid: "own", shop: "MINE" });
    const claimed = rowOf({ uuid: "claimed" });
    const foreign = ["theirs", "theirs-waiting"].map((uuid) => rowOf({ uuid, shop: 'OTHER"shop":"MINE"', terminalId: "T9" }));
    for (const { transaction } of [claimed, ...foreign]) transaction.merchantId = "MINE";
    const [theirs, theirsWaiting] = foreign;
    assert.ok(theirs !== undefined && theirsWaiting !== undefined);
    await deliver(sink, [own, claimed, theirs]);
    await write(kv, [theirsWaiting, rowOf({ uuid: "claimed-waiting" })]);
    const reader = readerOf(kv);
    assert.deepEqual(uuidsOf(await allPages(reader, "MINE", {}, 10)), ["own"]);
    assert.deepEqual(uuidsOf(await allStreamed(reader, "MINE")), ["own"]);
    assert.deepEqual([...(await reader.latestByTerminal("MINE")).keys()], ["T1"]);
    assert.equal((await reader.sums("MINE", { fromMs: START_MS, untilMs: START_MS + 1 })).sums[0]?.approved, 1);
    for (const uuid of ["claimed", "theirs", "theirs-waiting", "claimed-waiting"]) assert.equal(await reader.find("MINE", uuid), null);
  });

  it("matches nothing and breaks nothing with SQL in any filter", async (test) => {
    const kv = await kvOf(test);
    const odd = [
      "' OR '1'='1",
      "'; DROP TABLE relay.merchant_transactions; --",
      "\\' OR 1=1 --",
      "{merchantId:String}",
      "\0",
      "%",
      "a b\t\n😀",
    ];
    await deliver(sink, [rowOf({ uuid: "safe", shop: "SAFE", authCode: "123456" }), rowOf({ uuid: "unsafe", shop: "UNSAFE" })]);
    const reader = readerOf(kv);
    for (const text of odd) {
      for (const member of ["terminalId", "currency", "last4", "authCode", "q"] as const) {
        const filter = { [member]: text };
        assert.deepEqual(await allPages(reader, "SAFE", filter, 10), [], `${member} ${text}`);
        assert.deepEqual(await allStreamed(reader, "SAFE", filter), []);
      }
      assert.equal(await reader.find("SAFE", text), null);
      assert.deepEqual(await allPages(reader, text, {}, 10), []);
      assert.deepEqual((await reader.sums(text, { fromMs: START_MS, untilMs: START_MS + DAY_MS })).sums, []);
      assert.equal((await reader.latestByTerminal(text)).size, 0);
      const after = { createdAtMs: START_MS + 1, uuid: text, terminalId: text };
      assert.deepEqual(uuidsOf((await reader.page("SAFE", { filter: {}, after, limit: 1 })).items), ["safe"]);
    }
    assert.deepEqual(uuidsOf(await allPages(reader, "SAFE", {}, 10)), ["safe"]);
  });

  it("finds a uuid in any spelling or by its start, an authorization code, and the end of a card number", async (test) => {
    const kv = await kvOf(test);
    const uuid = "0B0FCB6E-5d0f-4b8a-9d53-1d8a4f6a2f10";
    const row = rowOf({ uuid, shop: "SEARCH", authCode: "778899", pan: "************4321" });
    const other = rowOf({ uuid: "other-of-another-kind", shop: "SEARCH", createdAtMs: START_MS - 40 * DAY_MS, pan: "432100******" });
    const search = async (q: string) => uuidsOf(await allPages(readerOf(kv), "SEARCH", { q }, 10));
    for (const place of ["outbox", "clickhouse"]) {
      if (place === "outbox") await write(kv, [row, other]);
      else {
        await deliver(sink, [row, other]);
        await kv.commit({ checks: [], operations: (await keysUnder(kv, "o/")).map((key) => ({ type: "delete", key })) });
      }
      for (const q of [uuid, uuid.toUpperCase(), "0B0FCB6E", "778899", "4321"]) assert.deepEqual(await search(q), [uuid], `${place} ${q}`);
      assert.deepEqual(await search("other-of"), ["other-of-another-kind"]);
      for (const q of ["7788", "5d0f", "0B0FCB6E-5d0f-4b8a-9d53-1d8a4f6a2f11"]) assert.deepEqual(await search(q), []);
      assert.deepEqual((await readerOf(kv).find("SEARCH", uuid.toUpperCase()))?.transaction, row.transaction);
      // Only uuids of the usual form are equal in capitals.
      assert.equal(await readerOf(kv).find("SEARCH", "Other-of-another-kind"), null);
    }
  });

  it("lists payments by the service of their command, and separates other results, wherever they are stored", async (test) => {
    const kv = await kvOf(test);
    const ofService = (service: string, members: Members): TransactionRow => {
      const row = rowOf(members);
      return { ...row, life: { ...endedRow({ uuid: members.uuid }).life, service } };
    };
    const kinds = (prefix: string) => [
      ofService("VERIFYTAG", { uuid: `${prefix}-check`, shop: "KINDS", amountCents: 500 }),
      ofService("PAYCC", { uuid: `${prefix}-paid`, shop: "KINDS", method: "RECEIPT", amountCents: 1_000 }),
      rowOf({ uuid: `${prefix}-receipt`, shop: "KINDS", method: "RECEIPT", kind: null }),
      rowOf({ uuid: `${prefix}-unasked`, shop: "KINDS", kind: null, amountCents: 200 }),
      rowOf({ uuid: `${prefix}-scan`, shop: "KINDS", method: "SCAN", kind: "scan" }),
      rowOf({ uuid: `${prefix}-print`, shop: "KINDS", method: "PRINT", kind: null }),
      rowOf({ uuid: `${prefix}-cancel`, shop: "KINDS", method: "UNKNOWN", kind: "cancel" }),
      rowOf({ uuid: `${prefix}-logcat`, shop: "KINDS", method: "UNKNOWN", kind: "administrative" }),
      rowOf({ uuid: `${prefix}-unsolicited`, shop: "KINDS", method: "UNKNOWN", kind: null }),
    ];
    await deliver(sink, kinds("stored"));
    await write(kv, kinds("waiting"));
    const reader = readerOf(kv);
    const payments = ["waiting-unasked", "waiting-paid", "stored-unasked", "stored-paid"];
    const others = ["waiting-unsolicited", "waiting-receipt", "waiting-check", "stored-unsolicited", "stored-receipt", "stored-check"];
    for (const [filter, listed] of [
      [{}, payments],
      [{ results: "others" as const }, others],
      [{ results: "all" as const }, [...payments, ...others].sort().reverse()],
    ] as const) {
      assert.deepEqual(uuidsOf(await allPages(reader, "KINDS", filter, 3)), listed);
      assert.deepEqual(uuidsOf(await allStreamed(reader, "KINDS", filter)), listed);
    }
    const { sums } = await reader.sums("KINDS", { fromMs: START_MS, untilMs: START_MS + 1 });
    assert.deepEqual(sums, [{ currency: "EUR", volumeMinor: 2_400, approved: 4, declined: 0 }]);
    for (const place of ["stored", "waiting"]) {
      assert.equal((await reader.find("KINDS", `${place}-check`))?.isPayment, false);
      assert.equal((await reader.find("KINDS", `${place}-paid`))?.isPayment, true);
      assert.equal(await reader.find("KINDS", `${place}-scan`), null);
    }
  });

  it("matches a list of all newest versions, wherever the rows are, page by page and as a file", async (test) => {
    let run = 0;
    const model = fc.record({
      uuid: fc.integer({ min: 0, max: 11 }),
      terminalId: fc.constantFrom("T1", "T2"),
      revision: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom("OK" as const, "KO" as const),
      method: fc.constantFrom("CARD" as const, "SATISPAY" as const, "PAYBYLINK" as const),
      amountCents: fc.integer({ min: 1, max: 4 }),
      currency: fc.constantFrom("EUR", "CHF"),
      authCode: fc.constantFrom(undefined, "111111", "222222"),
      actionCode: fc.constantFrom(undefined, "GW_20002"),
      pan: fc.constantFrom("************1111", "************2222", ""),
      place: fc.constantFrom("clickhouse", "outbox", "both"),
    });
    const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
    const filters = fc.record({
      from: optional(fc.integer({ min: -1, max: 4 })),
      until: optional(fc.integer({ min: 0, max: 6 })),
      status: optional(fc.constantFrom("OK" as const, "KO" as const)),
      method: optional(fc.constantFrom("CARD" as const, "PAYBYLINK" as const)),
      terminalId: optional(fc.constantFrom("T1", "T2")),
      amountMin: optional(fc.integer({ min: 1, max: 4 })),
      amountMax: optional(fc.integer({ min: 1, max: 4 })),
      currency: optional(fc.constant("CHF")),
      last4: optional(fc.constant("1111")),
      authCode: optional(fc.constant("222222")),
      q: optional(fc.constantFrom("2222", "uuid-1", "111111")),
      limit: fc.integer({ min: 1, max: 5 }),
    });
    const kv = await kvOf(test);
    await fc.assert(
      fc.asyncProperty(fc.array(model, { maxLength: 20 }), fc.array(filters, { minLength: 2, maxLength: 2 }), async (rows, asked) => {
        run += 1;
        const shop = `MODEL${run}`;
        const terminal = (name: string) => `${name}-${run}`;
        // A version never changes: of two rows with the same key and version, the first one counts.
        // Times are days to months apart, with two uuids at each.
        const known = new Map<string, { row: TransactionRow; place: string }>();
        for (const { uuid, place, terminalId, authCode, actionCode, ...members } of rows) {
          const key = `${terminalId} ${uuid} ${members.revision}`;
          const createdAtMs = START_MS - (AGES_DAYS[uuid >> 1] ?? 0) * DAY_MS;
          if (known.has(key)) continue;
          const codes = { ...(authCode === undefined ? {} : { authCode }), ...(actionCode === undefined ? {} : { actionCode }) };
          known.set(key, {
            row: rowOf({
              ...members,
              // The command determines the kind, so all versions of a result have the same kind.
              ...(uuid % 4 === 3 ? { method: "SCAN", kind: "scan" } : { kind: "payment" }),
              ...codes,
              uuid: `uuid-${uuid}`,
              shop,
              terminalId: terminal(terminalId),
              createdAtMs,
            }),
            place,
          });
        }
        const placed = [...known.values()];
        const inClickHouse = placed.filter(({ place }) => place !== "outbox").map(({ row }) => row);
        if (inClickHouse.length > 0) await deliver(sink, inClickHouse);
        await write(
          kv,
          placed.filter(({ place }) => place !== "clickhouse").map(({ row }) => row),
        );
        const reader = readerOf(kv);
        const all = placed.map(({ row }) => row);
        for (const { limit, from, until, terminalId, ...members } of asked) {
          const filter: MerchantTransactionFilter = JSON.parse(JSON.stringify(members));
          if (terminalId !== undefined) filter.terminalId = terminal(terminalId);
          if (from !== undefined) filter.fromMs = START_MS - (4 - from) * DAY_MS;
          if (until !== undefined) filter.untilMs = START_MS - (4 - until) * DAY_MS;
          const expected = modelList(all, filter);
          assert.deepEqual(await allPages(reader, shop, filter, limit), expected);
          assert.deepEqual(await allStreamed(reader, shop, filter), expected);
        }
        const range = { fromMs: START_MS - 30 * DAY_MS, untilMs: START_MS + 1 };
        assert.deepEqual(await reader.sums(shop, range), modelSums(modelList(all, range), range.fromMs));
        const latest = new Map<string, MerchantTransaction>();
        for (const item of modelList(all, { fromMs: range.fromMs })) {
          if (!latest.has(item.transaction.terminalId)) latest.set(item.transaction.terminalId, item);
        }
        assert.deepEqual(await reader.latestByTerminal(shop), latest);
      }),
      { numRuns: 15 },
    );
  });

  it("sums hours from the first one, on days with 25 and 23 hours", async (test) => {
    const kv = await kvOf(test);
    // The days of Rome with clock changes in 2026: 29 March starts at 23:00 and ends at 22:00 UTC,
    // 25 October starts at 22:00 and ends at 23:00.
    const days = [
      { fromMs: Date.UTC(2026, 2, 28, 23), untilMs: Date.UTC(2026, 2, 29, 22), hours: 23 },
      { fromMs: Date.UTC(2026, 9, 24, 22), untilMs: Date.UTC(2026, 9, 25, 23), hours: 25 },
    ];
    for (const [index, { fromMs, untilMs, hours }] of days.entries()) {
      const shop = `CLOCKS${index}`;
      const row = (hour: number, createdAtMs: number) =>
        rowOf({ uuid: `h${hour}-${createdAtMs}`, shop, createdAtMs, amountCents: 100 + hour });
      const rows = Array.from({ length: hours + 1 }, (_, hour) => row(hour, fromMs + hour * HOUR_MS));
      await deliver(sink, [...rows.filter((_, hour) => hour % 2 === 0), row(0, fromMs - 1)]);
      await write(kv, [...rows.filter((_, hour) => hour % 2 === 1), row(0, fromMs + HOUR_MS - 1)]);
      const day = await readerOf(kv).sums(shop, { fromMs, untilMs });
      assert.deepEqual(
        day.hours.map(({ startMs, volumeMinor, approved }) => ({ startMs, volumeMinor, approved })),
        Array.from({ length: hours }, (_, hour) => ({
          startMs: fromMs + hour * HOUR_MS,
          volumeMinor: 100 + hour + (hour === 0 ? 100 : 0),
          approved: hour === 0 ? 2 : 1,
        })),
      );
      assert.equal(day.sums[0]?.approved, hours + 1);
    }
    // A range of 400 days that ends outside summer time.
    await readerOf(kv).sums("CLOCKS0", { fromMs: Date.parse("2025-10-04T22:00:00Z"), untilMs: Date.parse("2026-11-08T23:00:00Z") });
    await assert.rejects(readerOf(kv).sums("CLOCKS0", { fromMs: 0, untilMs: 401 * DAY_MS }), { code: "invalid_request" });
  });

  it("shares sums for 15 seconds, and queries once for all concurrent callers", async (test) => {
    const kv = await kvOf(test);
    let monotonicMs = 0;
    const reader = createMerchantTransactions({
      ...{ kv, client: portalClient, timers: machineTimers },
      clock: { nowMs: () => START_MS, monotonicMs: () => monotonicMs },
    });
    const range = { fromMs: START_MS, untilMs: START_MS + 1 };
    const approved = async () => (await reader.sums("SHARED", range)).sums[0]?.approved ?? 0;
    assert.deepEqual(await Promise.all(Array.from({ length: 50 }, approved)), Array(50).fill(0));
    await deliver(sink, [rowOf({ uuid: "new", shop: "SHARED" })]);
    monotonicMs = 14_999;
    assert.equal(await approved(), 0);
    monotonicMs = 15_000;
    assert.equal(await approved(), 1);
  });

  it("returns the same file, whatever is written in the meantime", async (test) => {
    const kv = await kvOf(test);
    const row = (index: number, members: Partial<Members> = {}) =>
      rowOf({
        uuid: `row-${String(index).padStart(5, "0")}`,
        shop: "FILE",
        createdAtMs: START_MS - Math.floor(index / 7),
        amountCents: index,
        ...members,
      });
    const rows = Array.from({ length: 3_000 }, (_, index) => row(index));
    await deliver(sink, rows.slice(100));
    await write(kv, rows.slice(0, 150));
    const reader = readerOf(kv);
    const expected = modelList(rows, {});
    const found: MerchantTransaction[] = [];
    let batches = 0;
    for await (const batch of reader.stream("FILE", {})) {
      batches += 1;
      found.push(...batch);
      if (batches === 1) {
        // Waiting rows arrive, a row in the middle has a newer version, and both ends have more
        // rows.
        await deliver(sink, [...rows.slice(0, 150), row(2_900, { revision: 2, amountCents: 2_900 })]);
        await deliver(
          sink,
          Array.from({ length: 50 }, (_, index) => rowOf({ uuid: `late-${index}`, shop: "FILE", createdAtMs: START_MS + 1 + index })),
        );
      }
    }
    assert.ok(batches > 2);
    assert.deepEqual(uuidsOf(found), uuidsOf(expected));
    assert.equal(
      found.reduce((sum, { transaction }) => sum + transaction.amountCents, 0),
      expected.reduce((sum, { transaction }) => sum + transaction.amountCents, 0),
    );
    assert.equal((await allPages(reader, "FILE", {}, 200)).length, expected.length + 50);
  });

  it("reads a file with many rows of one millisecond, and with large rows", async (test) => {
    const kv = await kvOf(test);
    const voucher = { text: "x".repeat(30_000) };
    const rows = Array.from({ length: 1_500 }, (_, index) => rowOf({ uuid: `same-${index}`, shop: "SAME", terminalId: `T${index % 3}` }));
    for (const [index, { transaction }] of rows.entries()) if (index % 2 === 0) transaction.voucher = voucher;
    await deliver(sink, rows);
    assert.deepEqual(uuidsOf(await allStreamed(readerOf(kv), "SAME")), uuidsOf(modelList(rows, {})));
  });

  it("reads a file in which large rows follow many small ones", async (test) => {
    const kv = await kvOf(test);
    const rows = Array.from({ length: 4_700 }, (_, index) => rowOf({ uuid: `row-${index}`, shop: "GROWS", createdAtMs: START_MS - index }));
    for (const { transaction } of rows.slice(4_000)) transaction.voucher = { text: "x".repeat(60_000) };
    await deliver(sink, rows.slice(0, 4_350));
    await deliver(sink, rows.slice(4_350));
    let [count, cents] = [0, 0];
    for await (const batch of readerOf(kv).stream("GROWS", {})) {
      for (const { transaction } of batch) assert.equal(transaction.uuid, rows[count++]?.transaction.uuid);
      cents += batch.reduce((sum, { transaction }) => sum + transaction.amountCents, 0);
    }
    assert.deepEqual([count, cents], [rows.length, rows.length * 1_234]);
  });

  it("ends the query of a file that nobody reads any more, and releases its place", async (test) => {
    const kv = await kvOf(test);
    await deliver(
      sink,
      Array.from({ length: 2_000 }, (_, index) => rowOf({ uuid: `left-${index}`, shop: "LEFT", createdAtMs: START_MS - index })),
    );
    const reader = readerOf(kv);
    const files = [1, 2].map(() => reader.stream("LEFT", {})[Symbol.asyncIterator]());
    for (const file of files) assert.equal((await file.next()).done, false);
    await assert.rejects(allStreamed(reader, "LEFT"), unavailable(/Two files/));
    for (const file of files) await file.return?.();
    assert.equal((await allStreamed(reader, "LEFT")).length, 2_000);
    const running = async () =>
      (await ask(world, "SELECT count() FROM system.processes WHERE query LIKE '%merchant_transactions FINAL%'", {}, ADMIN)).text;
    // The engine ends a query at its next block.
    const endsAtMs = performance.now() + 10_000;
    while ((await running()) !== "1\n") assert.ok(performance.now() < endsAtMs, "a query is still running");
  });

  it("allows two concurrent queries of a merchant and others beside it, and rejects those that wait too long", async (test) => {
    const kv = await kvOf(test);
    // Accepts connections and never responds.
    const silent = createServer((socket) => {
      socket.on("error", () => undefined);
      test.after(() => socket.destroy());
    });
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    test.after(() => silent.close());
    const address = silent.address();
    assert.ok(address !== null && typeof address === "object");
    const away = connectClickHouse({ url: `http://127.0.0.1:${address.port}`, ...ADMIN });
    test.after(() => away.close());
    const reader = readerOf(kv, { client: away });
    const startedAt = performance.now();
    const page = (merchantId: string) => reader.page(merchantId, { filter: {}, after: null, limit: 10 });
    const held = [page("HELD"), page("HELD")].map((answer) => assert.rejects(answer, unavailable(/in time/)));
    await assert.rejects(page("HELD"), unavailable(/at once/));
    const waited = performance.now() - startedAt;
    assert.ok(waited >= 900 && waited < 2_500, `${waited} ms`);
    await assert.rejects(page("FREE"), unavailable(/in time/));
    await Promise.all(held);
  });

  it("rejects immediately while ClickHouse is unavailable or missing", async (test) => {
    const kv = await kvOf(test);
    const away = connectClickHouse({ url: "http://127.0.0.1:1", ...ADMIN });
    test.after(() => away.close());
    const missing = missingMerchantTransactions("no chdb");
    for (const [reader, text] of [
      [readerOf(kv, { client: away }), /ClickHouse does not respond/],
      [missing, /no chdb/],
    ] as const) {
      await assert.rejects(reader.page("AWAY", { filter: {}, after: null, limit: 10 }), unavailable(text));
      await assert.rejects(reader.find("AWAY", "u"), unavailable(text));
      await assert.rejects(reader.sums("AWAY", { fromMs: 0, untilMs: 1 }), unavailable(text));
      await assert.rejects(reader.latestByTerminal("AWAY"), unavailable(text));
      await assert.rejects(allStreamed(reader, "AWAY"), unavailable(text));
    }
  });

  it("rejects while the backlog is too large to search, and does not search it again immediately", async (test) => {
    const kv = await kvOf(test);
    await write(
      kv,
      Array.from({ length: 20_001 }, (_, index) => rowOf({ uuid: `u${index}`, shop: "MANY" })),
    );
    let scans = 0;
    const counting = Object.assign(Object.create(kv), {
      scan: (range: Parameters<EmbeddedKv["scan"]>[0]) => {
        scans += 1;
        return kv.scan(range);
      },
    });
    let monotonicMs = 0;
    const reader = createMerchantTransactions({
      ...{ kv: counting, client: portalClient, timers: machineTimers },
      clock: { nowMs: () => START_MS, monotonicMs: () => monotonicMs },
    });
    const page = () => reader.page("FEW", { filter: {}, after: null, limit: 10 });
    await assert.rejects(page(), unavailable(/not in ClickHouse yet/));
    const once = scans;
    await assert.rejects(page(), unavailable(/not in ClickHouse yet/));
    assert.equal(scans, once);
    monotonicMs = 2_000;
    await kv.commit({ checks: [], operations: (await keysUnder(kv, "o/")).map((key) => ({ type: "delete", key })) });
    assert.deepEqual((await page()).items, []);
    await assert.rejects(reader.page("MANY", { filter: {}, after: null, limit: 10 }), unavailable(/not in ClickHouse yet/));
  });
});

/** Returns the newest versions that match, newest first. */
function modelList(rows: readonly TransactionRow[], filter: MerchantTransactionFilter): MerchantTransaction[] {
  const newest = new Map<string, TransactionRow>();
  for (const row of rows) {
    const key = `${row.transaction.uuid} ${row.transaction.terminalId}`;
    const known = newest.get(key);
    if (known === undefined || known.version < row.version) newest.set(key, row);
  }
  const { fromMs = 0, untilMs = Number.POSITIVE_INFINITY, amountMin = 0, amountMax = Number.POSITIVE_INFINITY, q } = filter;
  return [...newest.values()]
    .filter(({ transaction: { method, createdAtMs, amountCents, status, terminalId, currency, card, auth, uuid } }) => {
      const last4 = card?.maskedPan?.slice(-4) ?? "";
      if (method === "SCAN" || createdAtMs < fromMs || createdAtMs >= untilMs || amountCents < amountMin || amountCents > amountMax)
        return false;
      if (filter.status !== undefined && status !== filter.status) return false;
      if (filter.method !== undefined && method !== filter.method) return false;
      if (filter.terminalId !== undefined && terminalId !== filter.terminalId) return false;
      if (filter.currency !== undefined && currency !== filter.currency) return false;
      if (filter.last4 !== undefined && last4 !== filter.last4) return false;
      if (filter.authCode !== undefined && auth?.authCode !== filter.authCode) return false;
      return q === undefined || uuid.startsWith(q) || auth?.authCode === q || last4 === q;
    })
    .map(({ transaction, amountDiffers, unsolicited }) => ({ transaction, amountDiffers, unsolicited, isPayment: true, refundedMinor: 0 }))
    .sort(({ transaction: one }, { transaction: other }) => {
      if (one.createdAtMs !== other.createdAtMs) return other.createdAtMs - one.createdAtMs;
      if (one.uuid !== other.uuid) return one.uuid < other.uuid ? 1 : -1;
      return one.terminalId < other.terminalId ? 1 : -1;
    });
}

function modelSums(items: readonly MerchantTransaction[], fromMs: number) {
  function by<Member extends object>(member: (item: MerchantTransaction) => Member) {
    const groups = new Map<string, { currency: string; volumeMinor: number; approved: number; declined: number } & Member>();
    for (const item of items) {
      const { currency, status, method, amountCents, auth } = item.transaction;
      const key = JSON.stringify([member(item), currency]);
      const sums = groups.get(key) ?? { currency, volumeMinor: 0, approved: 0, declined: 0, ...member(item) };
      groups.set(key, sums);
      if (status === "OK") {
        sums.approved += 1;
        sums.volumeMinor += amountCents;
      } else if (method !== "PAYBYLINK" || auth?.actionCode !== "GW_20002") sums.declined += 1;
    }
    return [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, sums]) => sums);
  }
  return {
    sums: by(() => ({})),
    hours: by(({ transaction }) => ({ startMs: fromMs + Math.floor((transaction.createdAtMs - fromMs) / HOUR_MS) * HOUR_MS })),
    byMethod: by(({ transaction }) => ({ method: transaction.method })),
    byTerminal: by(({ transaction }) => ({ terminalId: transaction.terminalId })),
  };
}
