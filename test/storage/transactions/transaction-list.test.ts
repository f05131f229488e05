import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { TransactionQuery } from "../../../engine/payments/transaction-list.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { setAsideOperations } from "../../../storage/feed/set-aside.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import { createTransactionList, missingTransactionList } from "../../../storage/transactions/transaction-list.ts";
import { ADMIN, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, openKv, START_MS, transactionRow, write } from "../feed/feed-world.ts";

const ALL = { methods: ["CARD", "SATISPAY"], status: "OK", limit: 100, offset: 0 } as const;

describe("the list of transactions", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const sink = clickHouseSink(client);
  before(() => migrate(client));

  async function kvOf(test: TestContext): Promise<EmbeddedKv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-list-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    return kv;
  }

  it("returns stored transactions from ClickHouse and the outbox, newest first", async (test) => {
    const kv = await kvOf(test);
    const list = createTransactionList({ kv, client });
    const stored = endedRow({ uuid: "stored", terminalId: "BACK" });
    const waiting = endedRow({ uuid: "waiting", terminalId: "BACK", createdAtMs: START_MS + 1 });
    await deliver(sink, [stored]);
    await write(kv, [waiting, transactionRow({ uuid: "other", terminalId: "OTHER" })]);
    assert.deepEqual(await list.page({ ...ALL, terminalId: "BACK" }), [waiting.transaction, stored.transaction]);
  });

  it("excludes results of administrator commands and of CANCEL, wherever they are stored", async (test) => {
    const kv = await kvOf(test);
    const list = createTransactionList({ kv, client });
    const answer = (uuid: string, kind: TransactionRow["kind"]): TransactionRow => ({
      ...transactionRow({ uuid, terminalId: "ANSWERS", method: "UNKNOWN" }),
      kind,
    });
    const payment = answer("payment", "payment");
    await deliver(sink, [answer("logcat", "administrative"), answer("cancel", "cancel"), payment]);
    await write(kv, [answer("waiting", "cancel")]);
    assert.deepEqual(await list.page({ ...ALL, methods: ["UNKNOWN"], terminalId: "ANSWERS" }), [payment.transaction]);
  });

  it("lists a result that ClickHouse rejected", async (test) => {
    const kv = await kvOf(test);
    const row = transactionRow({ uuid: "refused", terminalId: "REFUSED" });
    const entry = { key: "o/0000000000001-x", writtenAtMs: 1, value: JSON.stringify(row), row };
    await kv.commit({ checks: [], operations: setAsideOperations(entry, "too odd", 2) });
    const list = createTransactionList({ kv, client });
    assert.deepEqual(await list.page({ ...ALL, terminalId: "REFUSED" }), [row.transaction]);
  });

  it("matches a list of all newest versions, wherever the rows are", async (test) => {
    let run = 0;
    const rowOf = fc.record({
      uuid: fc.integer({ min: 0, max: 11 }),
      revision: fc.integer({ min: 1, max: 3 }),
      status: fc.constantFrom("OK" as const, "KO" as const),
      method: fc.constantFrom("CARD" as const, "SATISPAY" as const, "SCAN" as const),
      sender: fc.constantFrom("partner:1", "partner:2"),
      place: fc.constantFrom("clickhouse", "outbox", "both"),
    });
    const queryOf = fc.record({
      methods: fc.constantFrom(["CARD"] as const, ["CARD", "SATISPAY"] as const),
      status: fc.constantFrom("OK" as const, "KO" as const),
      sender: fc.constantFrom(undefined, "partner:1"),
      from: fc.constantFrom(undefined, 0, 2),
      until: fc.constantFrom(undefined, 3, 5),
      limit: fc.integer({ min: 1, max: 6 }),
      offset: fc.integer({ min: 0, max: 6 }),
    });
    const kv = await kvOf(test);
    await fc.assert(
      fc.asyncProperty(fc.array(rowOf, { maxLength: 20 }), fc.array(queryOf, { minLength: 3, maxLength: 3 }), async (rows, queries) => {
        run += 1;
        const terminalId = `MODEL${run}`;
        // A version never changes: of two rows with the same uuid and version, the first one
        // counts. Times are days apart, with two uuids at each.
        const known = new Map<string, { row: TransactionRow; place: string }>();
        for (const { uuid, place, ...members } of rows) {
          const key = `${uuid} ${members.revision}`;
          const createdAtMs = START_MS + (uuid >> 1) * 86_400_000;
          if (!known.has(key)) known.set(key, { row: transactionRow({ ...members, uuid: `u${uuid}`, terminalId, createdAtMs }), place });
        }
        const placed = [...known.values()];
        const inClickHouse = placed.filter(({ place }) => place !== "outbox").map(({ row }) => row);
        if (inClickHouse.length > 0) await deliver(sink, inClickHouse);
        await write(
          kv,
          placed.filter(({ place }) => place !== "clickhouse").map(({ row }) => row),
        );
        const list = createTransactionList({ kv, client });
        for (const { sender, from, until, methods, ...rest } of queries) {
          const query: TransactionQuery = { ...rest, methods: [...methods], terminalId };
          if (sender !== undefined) query.sender = sender;
          if (from !== undefined) query.fromMs = START_MS + from * 86_400_000;
          if (until !== undefined) query.untilMs = START_MS + until * 86_400_000;
          assert.deepEqual(
            await list.page(query),
            modelPage(
              placed.map(({ row }) => row),
              query,
            ),
          );
        }
      }),
      { numRuns: 40 },
    );
  });

  it("rejects while ClickHouse is unavailable", async (test) => {
    const kv = await kvOf(test);
    const away = connectClickHouse({ url: "http://127.0.0.1:1", ...ADMIN });
    const list = createTransactionList({ kv, client: away });
    await assert.rejects(list.page({ ...ALL, terminalId: "T1" }), unavailable(/ClickHouse does not respond/));
    await assert.rejects(missingTransactionList("no chdb").page({ ...ALL, terminalId: "T1" }), unavailable(/no chdb/));
  });

  it("rejects while the backlog is too large to search", async (test) => {
    const kv = await kvOf(test);
    const rows = Array.from({ length: 50_001 }, (_, index) => transactionRow({ uuid: `u${index}`, terminalId: "MANY" }));
    await write(kv, rows);
    const list = createTransactionList({ kv, client });
    await assert.rejects(list.page({ ...ALL, terminalId: "T1" }), unavailable(/more than 50000/));
  });
});

function unavailable(text: RegExp): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof RelayError);
    assert.equal(error.code, "unavailable");
    assert.match(error.message, text);
    return true;
  };
}

function modelPage(rows: readonly TransactionRow[], query: TransactionQuery): unknown[] {
  const newest = new Map<string, TransactionRow>();
  for (const row of rows) {
    const known = newest.get(row.transaction.uuid);
    if (known === undefined || known.version < row.version) newest.set(row.transaction.uuid, row);
  }
  return [...newest.values()]
    .filter(({ sender }) => query.sender === undefined || query.sender === sender)
    .map(({ transaction }) => transaction)
    .filter(({ method, status }) => query.methods.includes(method) && query.status === status)
    .filter(({ createdAtMs }) => createdAtMs >= (query.fromMs ?? 0) && createdAtMs < (query.untilMs ?? Number.POSITIVE_INFINITY))
    .sort((one, other) => other.createdAtMs - one.createdAtMs || (one.uuid < other.uuid ? 1 : -1))
    .slice(query.offset, query.offset + query.limit);
}
