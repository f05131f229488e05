import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { rowVersion } from "../../../engine/payments/row-version.ts";
import type { CommandLife, CommandRecord } from "../../../engine/terminals/terminal-record.ts";
import { writeCommand } from "../../../engine/terminals/terminal-records.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import type { FeedSink } from "../../../storage/feed/feed-sink.ts";
import { rebuildAnalytics } from "../../../storage/feed/rebuild.ts";
import { setAsideOperations } from "../../../storage/feed/set-aside.ts";
import { link } from "../../engine/links/machine-world.ts";
import { acceptedCommand, commandRecord } from "../../engine/terminals/store-world.ts";
import { ADMIN, ask, sharedClickHouse, startClickHouse } from "../clickhouse/clickhouse-world.ts";
import { endedRow, keysUnder, openKv, START_MS, transactionRow } from "./feed-world.ts";

const LIFE: CommandLife = { state: "done", sentAtMs: START_MS, finishedAtMs: START_MS + 500, channel: "poll", attempts: 1 };

function recordOf(uuid: string, terminalId: string, members: Partial<CommandRecord> = {}): CommandRecord {
  const { transaction } = transactionRow({ uuid, terminalId });
  const result = { transaction, raw: null, postedBy: terminalId, amountDiffers: false };
  return commandRecord(uuid, { revision: 2, terminalId, command: acceptedCommand(uuid, { terminalId }), life: LIFE, result, ...members });
}

async function store(kv: Kv, records: readonly CommandRecord[]): Promise<void> {
  const operations = records.map((record) => ({ type: "put", key: `c/${record.uuid}`, value: writeCommand(record) }) as const);
  await kv.commit({ checks: [], operations });
}

describe("the rebuild of the analysts' tables", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  before(() => migrate(client));

  it("says whose a row is where its record does, so that the merchants' table has it again", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-rebuild-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    const terminalId = "REBUILT-SHOP";
    const { result } = recordOf("unsolicited", terminalId);
    await store(kv, [
      recordOf("own", terminalId, { command: acceptedCommand("own", { terminalId, shop: "SHOP-R" }) }),
      recordOf("nobody", terminalId, { command: acceptedCommand("nobody", { terminalId, shop: null }) }),
      recordOf("before", terminalId),
    ]);
    assert.ok(result !== null);
    const unsolicited = recordOf("unsolicited", terminalId, { command: null, result: { ...result, shop: "SHOP-R" } });
    const paid = link("success", { order: { txId: "link-r", terminalId, shop: "SHOP-R" } });
    await kv.commit({
      checks: [],
      operations: [
        { type: "put", key: `c/unsolicited/${terminalId}`, value: writeCommand(unsolicited) },
        { type: "put", key: "link/link-r", value: JSON.stringify(paid) },
      ],
    });
    for (let round = 0; round < 2; round += 1) await rebuildAnalytics({ kv, sink: clickHouseSink(client) });
    const { text } = await ask(world, "SELECT uuid FROM relay.merchant_transactions FINAL WHERE merchant_id = 'SHOP-R' ORDER BY uuid");
    assert.equal(text, "link-r\nown\nunsolicited\n");
  });

  it("inserts what is stored of ended commands, and changes nothing when it is repeated", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-rebuild-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    const done = Array.from({ length: 2_500 }, (_, index) => recordOf(`d${index}`, "REBUILT"));
    await store(kv, done);
    await store(kv, [
      recordOf("queued", "REBUILT", { life: null, result: null }),
      recordOf("expired", "REBUILT", { life: { ...LIFE, state: "expired", sentAtMs: null }, result: null }),
      recordOf("unsolicited", "REBUILT", { command: null }),
    ]);
    const unsolicited = writeCommand(recordOf("d1", "REBUILT-UNASKED", { command: null }));
    await kv.commit({
      checks: [],
      operations: [
        { type: "put", key: "c/newer", value: "[3]" },
        { type: "put", key: "c/d1/REBUILT-UNASKED", value: unsolicited },
      ],
    });
    const late = link("success", { order: { txId: "late", terminalId: "REBUILT-LINKS" }, late: true });
    const open = link("watching", { order: { txId: "open", terminalId: "REBUILT-LINKS" } });
    for (const record of [late, open]) {
      await kv.commit({ checks: [], operations: [{ type: "put", key: `link/${record.order.txId}`, value: JSON.stringify(record) }] });
    }

    const refused: string[] = [];
    const rebuild = () => rebuildAnalytics({ kv, sink: clickHouseSink(client), onRefused: (uuid) => refused.push(uuid) });
    const first = await rebuild();
    assert.deepEqual(first, { records: 2_507, ended: 2_504, things: 0, rows: 2_504, setAside: 0, refused: 1 });
    assert.deepEqual(refused, ["newer"]);
    assert.deepEqual(await rebuild(), first);
    const counts = await ask(
      world,
      `SELECT (SELECT count() FROM transactions_final WHERE terminal_id = 'REBUILT'),
              (SELECT sum(transactions) FROM transactions_daily WHERE terminal_id = 'REBUILT'),
              (SELECT count() FROM command_lives_final WHERE terminal_id = 'REBUILT')`,
    );
    assert.equal(counts.text, "2501\t2501\t2501\n");
    const links = await ask(world, "SELECT uuid, method, status, version FROM transactions_final WHERE terminal_id = 'REBUILT-LINKS'");
    assert.equal(links.text, `late\tPAYBYLINK\tOK\t${rowVersion("done", 2)}\n`);
    const unasked = await ask(world, "SELECT uuid, unsolicited FROM transactions_final WHERE terminal_id = 'REBUILT-UNASKED'");
    assert.equal(unasked.text, "d1\ttrue\n");
    const versions = await ask(world, "SELECT DISTINCT version FROM transactions_final WHERE terminal_id = 'REBUILT'");
    assert.equal(versions.text, `${rowVersion("done", 2)}\n`);
  });

  it("leaves out a row that ClickHouse refuses, and inserts its neighbours", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-rebuild-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    const bad = transactionRow({ uuid: "b", terminalId: "PARTLY", amountCents: 1e30 });
    const result = { transaction: bad.transaction, raw: null, postedBy: "PARTLY", amountDiffers: false };
    await store(kv, [recordOf("a", "PARTLY"), recordOf("b", "PARTLY", { result }), recordOf("c", "PARTLY")]);
    const progress = await rebuildAnalytics({ kv, sink: clickHouseSink(client) });
    assert.deepEqual(progress, { records: 3, ended: 3, things: 0, rows: 2, setAside: 0, refused: 1 });
    for (const table of ["transactions_final", "command_lives_final"])
      assert.equal((await ask(world, `SELECT uuid FROM ${table} WHERE terminal_id = 'PARTLY' ORDER BY uuid`)).text, "a\nc\n", table);
  });

  it("sends what was set aside again, repaired where half of a character was why, and settles what operators were told", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-rebuild-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    const half = endedRow({ uuid: "half", terminalId: "ASIDE" });
    const beyond = transactionRow({ uuid: "beyond", terminalId: "ASIDE", amountCents: 1e30 });
    const conflict = { type: "conflict", id: "c", uuid: "half", terminalId: "ASIDE", postedBy: "T2", atMs: START_MS, raw: "{}" } as const;
    const life = { ...conflict, type: "life", version: 1 };
    const texts = [
      JSON.stringify({ ...half, transaction: { ...half.transaction, message: "ok \ud83d" } }),
      JSON.stringify(conflict),
      JSON.stringify(beyond),
      // A row that lacks nearly everything is refused again.
      JSON.stringify(life),
      "{",
    ];
    for (const [index, value] of texts.entries()) {
      const key = `o/000000000000${index}-w`;
      await kv.commit({ checks: [], operations: [{ type: "put", key, value }] });
      await kv.commit({ checks: [], operations: setAsideOperations({ key, value }, "too odd", Date.now()) });
    }
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused//", "a/feed_refused/ASIDE/beyond", "a/feed_refused/ASIDE/half"]);

    const sink = clickHouseSink(client);
    const progress = await rebuildAnalytics({ kv, sink });
    assert.deepEqual(progress, { records: 0, ended: 0, things: 0, rows: 2, setAside: 2, refused: 3 });
    // The life of the same uuid is still missing, so that this stays told.
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused//", "a/feed_refused/ASIDE/beyond", "a/feed_refused/ASIDE/half"]);
    assert.deepEqual(await keysUnder(kv, "op/"), ["op/0000000000002-w", "op/0000000000003-w", "op/0000000000004-w"]);
    const found = await ask(world, "SELECT uuid, message FROM transactions_final WHERE terminal_id = 'ASIDE'");
    assert.equal(found.text, "half\tok \ufffd\n");
    assert.equal((await ask(world, "SELECT uuid, state FROM command_lives_final WHERE terminal_id = 'ASIDE'")).text, "half\tdone\n");
    assert.equal((await ask(world, "SELECT uuid FROM conflicts_final WHERE terminal_id = 'ASIDE'")).text, "half\n");

    await kv.commit({ checks: [], operations: [{ type: "delete", key: "op/0000000000003-w" }] });
    // One is refused anew while the rebuild runs: what is told of it stays.
    const anew: FeedSink = {
      begin: () => {
        const insert = sink.begin();
        return {
          add: (row) => insert.add(row),
          send: async () => {
            const value = JSON.stringify(transactionRow({ uuid: "anew", terminalId: "ASIDE" }));
            await kv.commit({ checks: [], operations: setAsideOperations({ key: "o/0000000000009-w", value }, "too odd", Date.now()) });
            await insert.send();
          },
        };
      },
    };
    await store(kv, [recordOf("any", "ASIDE")]);
    await rebuildAnalytics({ kv, sink: anew });
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused//", "a/feed_refused/ASIDE/anew", "a/feed_refused/ASIDE/beyond"]);
    assert.equal((await rebuildAnalytics({ kv, sink })).setAside, 1);
    assert.deepEqual(await keysUnder(kv, "a/"), ["a/feed_refused//", "a/feed_refused/ASIDE/beyond"]);
  });
});

describe("the command rebuild-analytics", () => {
  it("fills the embedded ClickHouse of a stopped relay from its data directory", async (test) => {
    const directory = await mkdtemp(join(tmpdir(), "relay-rebuild-"));
    test.after(() => rm(directory, { recursive: true, force: true }));
    const kv = await openKv(join(directory, "state"));
    await store(kv, [recordOf("a", "T1"), recordOf("b", "T2")]);
    await kv.close();
    const program = fileURLToPath(new URL("../../../infra/cli/rebuild-analytics.ts", import.meta.url));
    const child = spawn(process.execPath, ["--import", "tsx", program, "--data-dir", directory], {
      stdio: ["ignore", "pipe", "inherit"],
      env: { PATH: process.env["PATH"] },
    });
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "exit")]);
    assert.equal(
      output,
      "Done: 2 commands read, 2 of them ended, 0 objects of merchants, 2 rows inserted (0 had been set aside), 0 refused.\n",
    );
    assert.equal(code, 0);
    const world = await startClickHouse(join(directory, "clickhouse"));
    test.after(() => world.stop());
    assert.equal((await ask(world, "SELECT uuid FROM transactions_final ORDER BY uuid")).text, "a\nb\n");
  });
});
