import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import { prefixRange } from "../../../engine/kernel/kv.ts";
import { outboxOperation } from "../../../engine/payments/outbox.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { createFeed } from "../../../storage/feed/feed.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import { eventually } from "../../support/within.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, keysUnder, notedTimers, openKv, realClock, refuseTransactions, START_MS, transactionRow, write } from "./feed-world.ts";

describe("the feed to ClickHouse", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  before(() => migrate(client));

  async function kvOf(test: TestContext): Promise<EmbeddedKv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-feed-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    return kv;
  }

  it("fills the columns of all three tables, and counts a repeated row and its newer version once", async (test) => {
    const kv = await kvOf(test);
    const terminalId = "COLUMNS";
    const life = {
      type: "life",
      version: 1,
      uuid: "a",
      terminalId,
      kind: "payment",
      service: "PAYCC",
      amountCents: 500,
      sender: "partner:1",
      state: "unknown",
      acceptedAtMs: START_MS,
      sentAtMs: START_MS + 250,
      finishedAtMs: START_MS + 300_250,
      channel: "websocket",
      attempt: 1,
    } as const;
    await write(kv, [transactionRow({ uuid: "a", terminalId, amountCents: 500 }), life]);
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await write(kv, [
      transactionRow({ uuid: "a", terminalId, amountCents: 500 }),
      transactionRow({ uuid: "a", terminalId, amountCents: 700, revision: 2 }),
      transactionRow({ uuid: "a", terminalId, amountCents: 500 }),
      { ...life, state: "done", version: 2, finishedAtMs: START_MS + 400_000 },
      { ...life, uuid: "b", state: "expired", sentAtMs: null, channel: null, attempt: 0 },
      // As a machine whose clock is behind wrote it in former releases.
      { ...life, uuid: "c", state: "done", sentAtMs: START_MS - 4_000, finishedAtMs: START_MS - 3_500 },
    ]);
    const conflict = { type: "conflict", id: "c1", uuid: "a", terminalId, postedBy: "T2", atMs: START_MS, raw: '{"a":"\\n"}' } as const;
    await kv.commit({ checks: [], operations: [outboxOperation(conflict, Date.now(), "w9-1")] });
    await feed.flush();
    await feed.stop();

    const rows = await ask(
      world,
      `SELECT uuid, created_at, day, amount_cents, brand, masked_pan, message FROM transactions_final WHERE terminal_id = '${terminalId}' FORMAT JSONEachRow`,
      { output_format_json_quote_64bit_integers: "0" },
    );
    assert.deepEqual(JSON.parse(rows.text), {
      uuid: "a",
      created_at: "2026-05-06 07:08:09.123",
      day: "2026-05-06",
      amount_cents: 700,
      brand: "VISA",
      masked_pan: "************1234",
      message: 'it\'s "approved"\n\\ €😀',
    });
    for (const view of ["transactions_hourly", "transactions_daily"]) {
      const sums = await ask(world, `SELECT transactions, total_cents FROM ${view} WHERE terminal_id = '${terminalId}'`);
      assert.equal(sums.text, "1\t700\n", view);
    }
    const lives = await ask(
      world,
      `SELECT uuid, state, channel, waited_ms, took_ms FROM command_lives_final WHERE terminal_id = '${terminalId}' ORDER BY uuid`,
    );
    assert.equal(lives.text, "a\tdone\twebsocket\t250\t400000\nb\texpired\t\t\\N\t300250\nc\tdone\twebsocket\t0\t0\n");
    const conflicts = await ask(world, `SELECT id, posted_by, raw FROM conflicts_final WHERE terminal_id = '${terminalId}' FORMAT TSVRaw`);
    assert.equal(conflicts.text, 'c1\tT2\t{"a":"\\n"}\n');
  });

  it("fills both tables from the one row of a result that ended its command, and from the two that 0.1.0 wrote", async (test) => {
    const kv = await kvOf(test);
    const terminalId = "ONE-ROW";
    const ended = { ...endedRow({ uuid: "one", terminalId, amountCents: 700 }), shop: "SHOP-ONE" };
    // What was asked for, and what was taken.
    const one = { ...ended, life: { ...ended.life, amountCents: 500 } };
    const { life, ...result } = endedRow({ uuid: "two", terminalId, amountCents: 700 });
    const members = { ...life, amountCents: 500, kind: "payment", sender: "partner:1" } as const;
    await write(kv, [
      one,
      { ...result, version: 2, shop: "SHOP-ONE" },
      { ...members, type: "life", version: 2, uuid: "two", terminalId, shop: "SHOP-ONE" },
    ]);
    assert.equal((await keysUnder(kv, "o/")).length, 3);
    const [first] = await kv.scan({ ...prefixRange("o/"), limit: 1 });
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    assert.deepEqual(feed.stats(), { inserted: 3, failures: 0, refused: 0 });
    assert.deepEqual(await keysUnder(kv, "o/"), []);
    const told = async (table: string, columns: string) =>
      (await ask(world, `SELECT uuid, ${columns} FROM ${table} FINAL WHERE terminal_id = '${terminalId}' ORDER BY uuid`)).text;
    const version = rowVersion("done", 1);
    assert.equal(
      await told("relay.transactions", "version, amount_cents, command_kind, sender, shop"),
      `one\t${version}\t700\tpayment\tpartner:1\tSHOP-ONE\ntwo\t${version + 1}\t700\tpayment\tpartner:1\tSHOP-ONE\n`,
    );
    const times = "2026-05-06 07:08:08.723\t2026-05-06 07:08:08.823\t2026-05-06 07:08:09.123";
    assert.equal(
      await told(
        "relay.command_lives",
        "version, amount_cents, kind, sender, shop, state, service, channel, attempt, accepted_at, sent_at, finished_at",
      ),
      [
        `one\t${version}\t500\tpayment\tpartner:1\tSHOP-ONE\tdone\tPAYCC\tpoll\t1\t${times}\n`,
        `two\t${version + 1}\t500\tpayment\tpartner:1\tSHOP-ONE\tdone\tPAYCC\tpoll\t1\t${times}\n`,
      ].join(""),
    );
    for (const table of ["transactions", "command_lives"])
      assert.equal((await ask(world, `SELECT store_version FROM ${table} WHERE uuid = 'one'`)).text, `${first?.version}\n`, table);
  });

  it("tells with each row the version that the store gave it", async (test) => {
    const kv = await kvOf(test);
    const terminalId = "VERSIONS";
    await write(kv, [transactionRow({ uuid: "a", terminalId })]);
    const [first] = await kv.scan({ ...prefixRange("o/"), limit: 1 });
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    const { text } = await ask(world, `SELECT store_version FROM transactions WHERE terminal_id = '${terminalId}'`);
    assert.equal(text, `${first?.version}\n`);
  });

  it("sets aside a row that ClickHouse refuses, and delivers its neighbours", async (test) => {
    const kv = await kvOf(test);
    await refuseTransactions(client);
    await write(kv, [
      transactionRow({ uuid: "before", terminalId: "POISON" }),
      transactionRow({ uuid: "not parsed", terminalId: "POISON", sender: "refused" }),
      transactionRow({ uuid: "between", terminalId: "POISON" }),
      transactionRow({ uuid: "beyond Int64", terminalId: "POISON", amountCents: 1e30 }),
      transactionRow({ uuid: "no time", terminalId: "POISON", createdAtMs: Number.NaN }),
      transactionRow({ uuid: "after", terminalId: "POISON" }),
    ]);
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    assert.equal(
      (await ask(world, "SELECT uuid FROM transactions_final WHERE terminal_id = 'POISON' ORDER BY uuid")).text,
      "after\nbefore\nbetween\n",
    );
    assert.equal(feed.stats().refused, 3);
    assert.equal((await keysUnder(kv, "op/")).length, 3);
  });

  it("sets aside a row whose time ClickHouse would change in silence", async (test) => {
    const kv = await kvOf(test);
    const times = [-1, 0, Date.UTC(2148, 11, 31, 23, 59, 59, 999), Date.UTC(2149, 0, 1), 8.64e15, 1.5];
    const rows = times.map((createdAtMs, index) => transactionRow({ uuid: `t${index}`, terminalId: "TIMES", createdAtMs }));
    await write(kv, rows);
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    assert.equal(
      (await ask(world, "SELECT uuid, day, created_at FROM transactions_final WHERE terminal_id = 'TIMES' ORDER BY uuid")).text,
      "t1\t1970-01-01\t1970-01-01 00:00:00.000\nt2\t2148-12-31\t2148-12-31 23:59:59.999\n",
    );
    assert.equal((await keysUnder(kv, "op/")).length, 4);
  });

  it("sets aside the whole row where one of its two halves cannot be read, and leaves the other out", async (test) => {
    const kv = await kvOf(test);
    const row = (uuid: string) => endedRow({ uuid, terminalId: "HALF-ROWS" });
    const [noLife, noResult] = [row("no life"), row("no result")];
    await write(kv, [
      { ...noLife, life: { ...noLife.life, finishedAtMs: Number.NaN } },
      { ...noResult, transaction: { ...noResult.transaction, createdAtMs: -1 } },
      row("whole"),
    ]);
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    for (const table of ["transactions", "command_lives"])
      assert.equal((await ask(world, `SELECT uuid FROM ${table} WHERE terminal_id = 'HALF-ROWS'`)).text, "whole\n", table);
    assert.equal((await keysUnder(kv, "op/")).length, 2);
  });

  it("replaces half of a character in rows of before that was done where they come in", async (test) => {
    const kv = await kvOf(test);
    const row = transactionRow({ uuid: "half", terminalId: "HALVES" });
    const conflict = {
      type: "conflict",
      id: "half",
      uuid: "half",
      terminalId: "HALVES",
      postedBy: "T2",
      atMs: START_MS,
      raw: '{"message":"\\ud83d"}',
    } as const;
    await write(kv, [{ ...row, transaction: { ...row.transaction, message: "a \ud83d", receipt: { "b\udc00": ["\ud83d\ude00"] } } }]);
    await kv.commit({ checks: [], operations: [outboxOperation(conflict, Date.now(), "w9-2")] });
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    const { text } = await ask(
      world,
      "SELECT message, receipt, JSONExtractString(item, 'message') AS told FROM transactions WHERE uuid = 'half' FORMAT JSONEachRow",
    );
    assert.deepEqual(JSON.parse(text), { message: "a \ufffd", receipt: '{"b\ufffd":["😀"]}', told: "a \ufffd" });
    assert.equal((await ask(world, "SELECT raw FROM conflicts_final WHERE uuid = 'half' FORMAT TSVRaw")).text, '{"message":"\\ud83d"}\n');
    assert.equal(feed.stats().refused, 0);
  });

  it("loses and doubles nothing when ClickHouse is killed while rows come in", async (test) => {
    const kv = await kvOf(test);
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers: machineTimers });
    let written = 0;
    const writeSome = async (count: number): Promise<void> => {
      const rows = Array.from({ length: count }, () => transactionRow({ uuid: `k${written++}`, terminalId: "KILLED" }));
      await write(kv, rows);
      feed.wake();
    };
    for (let round = 0; round < 3; round++) {
      await writeSome(2_000);
      const started = world.next("started");
      const pid = world.clickhouse.pid();
      if (pid !== null) process.kill(pid, "SIGKILL");
      await writeSome(500);
      await started;
    }
    await feed.flush();
    await feed.stop();
    assert.deepEqual(await keysUnder(kv, "o/"), []);
    assert.equal(
      (await ask(world, "SELECT count(), uniqExact(uuid) FROM transactions_final WHERE terminal_id = 'KILLED'")).text,
      `${written}\t${written}\n`,
    );
  });

  it("brings a row in after a second's rest at most", async (test) => {
    const kv = await kvOf(test);
    const { timers, pausesMs } = notedTimers();
    const feed = createFeed({ kv, sink: clickHouseSink(client), clock: realClock, timers });
    await feed.flush();
    await write(kv, [transactionRow({ uuid: "quick", terminalId: "QUICK" })]);
    feed.wake();
    await eventually(async () => {
      const { text } = await ask(world, "SELECT count() FROM transactions_final WHERE terminal_id = 'QUICK'");
      assert.equal(text, "1\n");
    });
    assert.ok(Math.max(...pausesMs) <= 1_000, `${Math.max(...pausesMs)} ms`);
    await feed.stop();
  });
});
