import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it, type TestContext } from "node:test";
import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { TransactionRow } from "../../../engine/payments/feed-row.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import { CLOUD_CONFIGS, createRecordStore } from "../../../engine/tables/record-store.ts";
import { writeCommand } from "../../../engine/terminals/terminal-records.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { LeaderLease } from "../../../storage/feed/leader-lease.ts";
import { type MerchantBackfillEvent, startMerchantBackfill } from "../../../storage/feed/merchant-backfill.ts";
import type { OnceInBackground } from "../../../storage/feed/once-in-background.ts";
import { rebuildAnalytics } from "../../../storage/feed/rebuild.ts";
import { loadShopsSince, noteShopsSince } from "../../../storage/feed/shops-since.ts";
import { acceptedCommand, commandRecord } from "../../engine/terminals/store-world.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { putMerchant } from "../transactions/merchants-world.ts";
import { keysUnder, openKv, START_MS, transactionRow, write } from "./feed-world.ts";

const DAY_MS = 86_400_000;
/** The first start of a version that keeps whose a payment is. */
const SINCE_MS = START_MS + 100 * DAY_MS;

/** Leases and pauses pass fifty times as fast. */
const FAST = 50;
const fastClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() * FAST };
const fastTimers: Timers = { ...machineTimers, set: (ms, work) => machineTimers.set(ms / FAST, work) };

interface Row {
  uuid: string;
  terminalId: string;
  told: string;
  createdAtMs?: number;
  kind?: TransactionRow["kind"];
  shop?: string;
}

function rowOf({ uuid, terminalId, told, createdAtMs = START_MS, kind = "payment", shop }: Row): TransactionRow {
  const row = transactionRow({ uuid, terminalId, createdAtMs });
  return { ...row, kind, transaction: { ...row.transaction, merchantId: told }, ...(shop === undefined ? {} : { shop }) };
}

async function assign(kv: Kv, terminalId: string, merchantId: string | null): Promise<void> {
  const config: CloudConfig = { schema: 1, terminalId, merchantId, group: null, family: null, settings: {}, updatedAtMs: 0 };
  await createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS).save(terminalId, config);
}

describe("the merchants' rows of before", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  before(() => migrate(client));

  async function storeOf(test: TestContext): Promise<Kv> {
    const directory = await mkdtemp(join(tmpdir(), "relay-backfill-"));
    const kv = await openKv(directory);
    test.after(async () => {
      await kv.close();
      await rm(directory, { recursive: true, force: true });
    });
    await noteShopsSince(kv, () => SINCE_MS);
    return kv;
  }

  async function insert(...rows: Row[]): Promise<void> {
    const insert = clickHouseSink(client).begin();
    for (const row of rows) insert.add(rowOf(row));
    await insert.send();
  }

  function start(kv: Kv, through: ClickHouseClient = client): { backfill: OnceInBackground; events: MerchantBackfillEvent[] } {
    const events: MerchantBackfillEvent[] = [];
    const onEvent = (event: MerchantBackfillEvent) => void events.push(event);
    return { backfill: startMerchantBackfill({ kv, client: through, clock: fastClock, timers: fastTimers, onEvent }), events };
  }

  async function fill(kv: Kv): Promise<MerchantBackfillEvent[]> {
    const { backfill, events } = start(kv);
    await backfill.ended;
    return events;
  }

  async function listed(merchantId: string, columns = "uuid"): Promise<string[]> {
    const sql = `SELECT ${columns} FROM relay.merchant_transactions FINAL WHERE merchant_id = '${merchantId}' ORDER BY uuid`;
    const { status, text } = await ask(world, sql, {}, ADMIN);
    assert.equal(status, 200, text);
    return text === "" ? [] : text.trimEnd().split("\n");
  }

  it("are those of terminals that it has today, that carry its id, and that came after it was created and before `shop` was kept", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "B-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await putMerchant(kv, "B-GONE", "TEST", { createdAtMs: START_MS - DAY_MS, active: false });
    await putMerchant(kv, "B-NEW", "TEST", { createdAtMs: SINCE_MS + DAY_MS });
    await assign(kv, "B-1", "B-SHOP");
    await assign(kv, "B-2", "B-GONE");
    await assign(kv, "B-3", "B-NEW");
    await assign(kv, "B-4", "B-NOBODY");
    await assign(kv, "B-5", null);
    await insert(
      { uuid: "own", terminalId: "B-1", told: "B-SHOP" },
      { uuid: "own-unsolicited", terminalId: "B-1", told: "B-SHOP", kind: null, createdAtMs: START_MS + 40 * DAY_MS },
      { uuid: "scan", terminalId: "B-1", told: "B-SHOP", kind: "scan" },
      { uuid: "older than the merchant", terminalId: "B-1", told: "B-SHOP", createdAtMs: START_MS - 2 * DAY_MS },
      { uuid: "of another merchant", terminalId: "B-1", told: "B-OTHER" },
      // Whose it is was kept by then, and it was nobody's: the terminal says it of itself.
      { uuid: "since", terminalId: "B-1", told: "B-SHOP", createdAtMs: SINCE_MS },
      { uuid: "elsewhere", terminalId: "B-1", told: "B-SHOP", shop: "B-ELSE" },
      { uuid: "deactivated", terminalId: "B-2", told: "B-GONE" },
      { uuid: "of before the merchant", terminalId: "B-3", told: "B-NEW" },
      { uuid: "no merchant", terminalId: "B-4", told: "B-NOBODY" },
      { uuid: "unassigned", terminalId: "B-5", told: "B-SHOP" },
      { uuid: "not configured", terminalId: "B-6", told: "B-SHOP" },
    );
    assert.deepEqual(await fill(kv), [{ type: "filled", terminals: 2, months: 3 }]);
    assert.deepEqual(await listed("B-SHOP"), ["own", "own-unsolicited"]);
    assert.deepEqual(await listed("B-GONE"), ["deactivated"]);
    for (const nobody of ["B-NEW", "B-NOBODY", "B-OTHER"]) assert.deepEqual(await listed(nobody), []);
  });

  it("are as the table would have had them, had they come with their merchant", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "C-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await assign(kv, "C-1", "C-SHOP");
    await insert({ uuid: "same", terminalId: "C-1", told: "C-SHOP" }, { uuid: "same", terminalId: "C-2", told: "C-SHOP", shop: "C-CAME" });
    await fill(kv);
    // Their terminals are the only difference.
    const same = (rows: string[]) => rows.map((row) => row.replaceAll("C-2", "C-1"));
    assert.deepEqual(await listed("C-SHOP", "* EXCEPT (merchant_id)"), same(await listed("C-CAME", "* EXCEPT (merchant_id)")));
  });

  it("come once for each ClickHouse, and again when its table was made anew", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "D-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await assign(kv, "D-1", "D-SHOP");
    await insert({ uuid: "first", terminalId: "D-1", told: "D-SHOP" });
    assert.equal((await fill(kv)).length, 1);
    await insert({ uuid: "after", terminalId: "D-1", told: "D-SHOP" });
    assert.deepEqual(await fill(kv), []);
    assert.deepEqual(await listed("D-SHOP"), ["first"]);
    // As a directory of ClickHouse that is made anew by `npm run rebuild-analytics`.
    for (const name of ["merchant_transactions_fill", "merchant_transactions"])
      await client.command({ query: `DROP TABLE relay.${name} SYNC` });
    await client.command({ query: "ALTER TABLE relay.schema_migrations DELETE WHERE version >= 5 SETTINGS mutations_sync = 1" });
    await migrate(client);
    assert.deepEqual(await fill(kv), [{ type: "filled", terminals: 1, months: 1 }]);
    assert.deepEqual(await listed("D-SHOP"), ["after", "first"]);
  });

  it("wait for those that are not in ClickHouse yet when it starts, as the first start of this version may find them", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "I-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await assign(kv, "I-1", "I-SHOP");
    await write(kv, [rowOf({ uuid: "late", terminalId: "I-1", told: "I-SHOP", createdAtMs: SINCE_MS - 1 })], SINCE_MS - 1);
    await write(kv, [rowOf({ uuid: "since", terminalId: "I-1", told: "I-SHOP", createdAtMs: SINCE_MS, shop: "I-SHOP" })], SINCE_MS);
    let looks = 0;
    let looked = (): void => {};
    const lookedAgain = new Promise<void>((resolve) => {
      looked = resolve;
    });
    const watched: Kv = new Proxy(kv, {
      get: (target, name) => {
        if (name === "get") {
          return (key: string) => {
            if (key === "shop/since") looks += 1;
            if (looks === 2) looked();
            return target.get(key);
          };
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const { backfill, events } = start(watched);
    // What has ended looks no more.
    await Promise.race([lookedAgain, backfill.ended]);
    assert.deepEqual(events, []);
    await insert({ uuid: "late", terminalId: "I-1", told: "I-SHOP", createdAtMs: SINCE_MS - 1 });
    const [late] = await keysUnder(kv, "o/");
    assert.ok(late !== undefined);
    await kv.commit({ checks: [], operations: [{ type: "delete", key: late }] });
    await backfill.ended;
    assert.deepEqual(await listed("I-SHOP"), ["late"]);
  });

  it("come again when the rows of a store were inserted anew, however long ago they had come", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "J-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await assign(kv, "J-1", "J-SHOP");
    // An empty ClickHouse: the node was started before what it had lost was inserted again.
    assert.deepEqual(await fill(kv), [{ type: "filled", terminals: 0, months: 0 }]);
    const { transaction } = rowOf({ uuid: "rebuilt", terminalId: "J-1", told: "J-SHOP" });
    const record = commandRecord("rebuilt", {
      ...{ revision: 2, terminalId: "J-1", command: acceptedCommand("rebuilt", { terminalId: "J-1" }) },
      life: { state: "done", sentAtMs: START_MS, finishedAtMs: START_MS, channel: "poll", attempts: 1 },
      result: { transaction, raw: null, postedBy: "J-1", amountDiffers: false },
    });
    await kv.commit({ checks: [], operations: [{ type: "put", key: "c/rebuilt", value: writeCommand(record) }] });
    await rebuildAnalytics({ kv, sink: clickHouseSink(client) });
    assert.deepEqual(await fill(kv), [{ type: "filled", terminals: 1, months: 1 }]);
    assert.deepEqual(await listed("J-SHOP"), ["rebuilt"]);
  });

  it("go on where they were when ClickHouse is killed among them, told once, and each stands once", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "E-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    const terminals = Array.from({ length: 12 }, (_, index) => `E-${index}`);
    for (const terminalId of terminals) await assign(kv, terminalId, "E-SHOP");
    await insert(...terminals.map((terminalId) => ({ uuid: terminalId, terminalId, told: "E-SHOP" })));
    const inserts: string[] = [];
    const through = intercepted(client, async (terminalId) => {
      inserts.push(terminalId);
      const pid = world.clickhouse.pid();
      if (inserts.length !== 5 || pid === null) return;
      const again = world.next("started");
      process.kill(pid, "SIGKILL");
      await again;
      throw new Error("it was killed");
    });
    const { backfill, events } = start(kv, through);
    await backfill.ended;
    assert.deepEqual(
      events.map(({ type }) => type),
      ["away", "filled"],
    );
    assert.deepEqual(await listed("E-SHOP"), [...terminals].sort());
    // The one that was lost is done again; what was before it is not.
    assert.equal(inserts.length, 13);
    assert.equal(new Set(inserts).size, 12);
  });

  it("go on at another node when the one that had the lease was killed, and are not begun beside one that lives", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "F-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    const terminals = Array.from({ length: 8 }, (_, index) => `F-${index}`);
    for (const terminalId of terminals) await assign(kv, terminalId, "F-SHOP");
    await insert(...terminals.map((terminalId) => ({ uuid: terminalId, terminalId, told: "F-SHOP" })));
    // A node that has come half of the way, and lives.
    const order: string[] = [];
    const half = new Promise<void>((resolve) => {
      const through = intercepted(client, (terminalId) => {
        order.push(terminalId);
        if (order.length === 4) resolve();
        return order.length >= 4 ? new Promise(() => {}) : Promise.resolve();
      });
      start(kv, through);
    });
    await half;
    const filled = await loadShopsSince(kv);
    assert.equal(filled?.record.filled, null);
    const other = new LeaderLease(kv, fastClock, "backfill");
    assert.equal(await other.acquire(), null, "one node at a time");
    // It is killed: its lease is not renewed any more.
    const events = await fill(kv);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["filled"],
    );
    assert.deepEqual(await listed("F-SHOP"), terminals);
    assert.notEqual((await loadShopsSince(kv))?.record.filled, null);
  });

  it("end within the month that they are at when the node stops, and leave the lease to the next", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "G-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    const terminals = Array.from({ length: 6 }, (_, index) => `G-${index}`);
    for (const terminalId of terminals) await assign(kv, terminalId, "G-SHOP");
    await insert(...terminals.map((terminalId) => ({ uuid: terminalId, terminalId, told: "G-SHOP" })));
    let count = 0;
    let stopped: Promise<void> = Promise.resolve();
    const through = intercepted(client, async () => {
      count += 1;
      if (count === 3) stopped = running.backfill.stop();
    });
    const running = start(kv, through);
    await running.backfill.ended;
    await stopped;
    assert.deepEqual(running.events, []);
    assert.equal((await listed("G-SHOP")).length, 3);
    assert.deepEqual(await fill(kv), [{ type: "filled", terminals: 3, months: 3 }]);
    assert.deepEqual(await listed("G-SHOP"), terminals);
  });

  it("wait while the relay asks ClickHouse for anything else", async (test) => {
    const kv = await storeOf(test);
    await putMerchant(kv, "H-SHOP", "TEST", { createdAtMs: START_MS - DAY_MS });
    await assign(kv, "H-1", "H-SHOP");
    await insert({ uuid: "own", terminalId: "H-1", told: "H-SHOP" });
    const order: string[] = [];
    const busy = client.query({ query: "SELECT sleep(1)", format: "JSONEachRow" }).then(async (found) => {
      await found.text();
      order.push("the relay's");
    });
    // It is being executed when the other comes.
    await ask(world, "SELECT 1", {}, ADMIN);
    const later = client
      .query({ query: "SELECT 1", format: "JSONEachRow", clickhouse_settings: { priority: "10" } })
      .then(async (found) => {
        await found.text();
        order.push("what can wait");
      });
    await Promise.all([busy, later]);
    assert.deepEqual(order, ["the relay's", "what can wait"]);
    assert.equal((await fill(kv)).length, 1);
  });
});

/** The same client, which tells of each insert before it is sent. */
function intercepted(client: ClickHouseClient, beforeInsert: (terminalId: string) => Promise<void>): ClickHouseClient {
  return new Proxy(client, {
    get: (target, name) => {
      if (name === "command") {
        return async (request: Parameters<ClickHouseClient["command"]>[0]) => {
          await beforeInsert(String(request.query_params?.["terminalId"]));
          return target.command(request);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
