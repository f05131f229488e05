import assert from "node:assert/strict";
import { createServer } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { CallEntry, WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { LogQuery } from "../../../engine/operators/merchant-logs.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { type ActivityBatch, createActivityBatches } from "../../../storage/activity/activity-batches.ts";
import { createActivityReader, missingMerchantLogs } from "../../../storage/activity/activity-reader.ts";
import { applyActivityRetention } from "../../../storage/activity/activity-retention.ts";
import { ACTIVITY_TABLES } from "../../../storage/activity/activity-rows.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate, readMigrations } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { insertLines } from "../../../storage/feed/clickhouse-sink.ts";
import { within } from "../../support/within.ts";
import { ADMIN, ask, startClickHouse } from "../clickhouse/clickhouse-world.ts";
import { call, step } from "./activity-world.ts";

const DAY_MS = 86_400_000;
const FIRST: LogQuery = { filter: {}, after: null, limit: 50 };

async function open(test: TestContext, retentionDays = 30) {
  const world = await startClickHouse();
  test.after(() => world.stop());
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  test.after(() => client.close());
  const portal = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
  test.after(() => portal.close());
  const { log, take } = createActivityBatches({ writer: "shard-0-1a2b3c4d" });
  const insert = async ({ lines }: Pick<ActivityBatch, "lines">) => {
    for (const table of ACTIVITY_TABLES) {
      if (lines[table].length > 0) await insertLines(client, table, [Buffer.from(lines[table].join(""))]);
    }
  };
  /** Writes entries as a node does; resolves with the batch. */
  const write = async (steps: Partial<WorkflowEntry>[], calls: Partial<CallEntry>[] = []) => {
    for (const one of steps) log.workflow(step(one));
    for (const one of calls) log.call(call(one));
    const batch = take();
    assert.ok(batch !== null && batch.dropped === 0);
    await insert(batch);
    return batch;
  };
  const logs = createActivityReader({ client: portal, clock: { nowMs: Date.now }, timers: machineTimers, retentionDays });
  const count = async (table: string) => Number((await ask(world, `SELECT count() FROM relay.${table}`)).text);
  /** Waits until ClickHouse holds these numbers of rows: it removes what is over in the background. */
  const counted = async (rows: Record<string, number>) => {
    const deadlineMs = Date.now() + 20_000;
    for (;;) {
      const held = Object.fromEntries(await Promise.all(Object.keys(rows).map(async (table) => [table, await count(table)])));
      if (isDeepStrictEqual(held, rows)) return;
      assert.ok(Date.now() < deadlineMs, `ClickHouse holds ${JSON.stringify(held)}, not ${JSON.stringify(rows)}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  return { world, client, logs, write, insert, count, counted };
}

const objectsOf = ({ items }: { items: readonly { objectId: string }[] }) => items.map(({ objectId }) => objectId);

describe("the logs in ClickHouse", () => {
  it("are read newest first, as they were written, and only by their merchant", async (test) => {
    const { client, logs, write } = await open(test);
    await migrate(client);
    const nowMs = Date.now();
    await write(
      [
        { atMs: nowMs - 2_000, objectId: "a", from: null, to: "created", requestId: "r-1" },
        { atMs: nowMs - 1_000, objectId: "b", from: "created", to: "failed", requestId: null, outcome: "refused", event: "init.refused" },
        { atMs: nowMs - 500, objectId: "other", merchantId: "SHOP-002" },
      ],
      [
        { atMs: nowMs - 900, objectId: "a", httpStatus: null, outcome: "failed", detail: "no answer", ms: 8_000 },
        { atMs: nowMs - 800, objectId: "other", merchantId: "SHOP-002" },
      ],
    );
    const steps = await logs.workflow("SHOP-001", FIRST);
    assert.equal(steps.next, null);
    assert.deepEqual(
      steps.items.map(({ id, ...item }) => item),
      [
        {
          ...{ atMs: nowMs - 1_000, objectType: "link", objectId: "b", event: "init.refused", from: "created", to: "failed" },
          ...{ outcome: "refused", requestId: null },
        },
        {
          ...{ atMs: nowMs - 2_000, objectType: "link", objectId: "a", event: "link.created", from: null, to: "created" },
          ...{ outcome: "done", requestId: "r-1" },
        },
      ],
    );
    const { items } = await logs.calls("SHOP-001", FIRST);
    assert.deepEqual(
      items.map(({ id, ...item }) => item),
      [
        {
          ...{
            atMs: nowMs - 900,
            objectId: "a",
            target: "gateway",
            operation: "init",
            host: "gateway.example",
            httpStatus: null,
            ms: 8_000,
          },
          ...{ outcome: "failed", detail: "no answer", requestId: null },
        },
      ],
    );
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-002", FIRST)), ["other"]);
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-003", FIRST)), []);
  });

  it("come once, however often a batch is inserted", async (test) => {
    const { client, logs, write, insert } = await open(test);
    await migrate(client);
    const batch = await write([{ objectId: "a" }, { objectId: "b" }]);
    await insert(batch);
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-001", FIRST)), ["b", "a"]);
  });

  it("are paged without a gap over all windows, and filtered", async (test) => {
    const { client, logs, write } = await open(test);
    await migrate(client);
    const nowMs = Date.now();
    // Several in a millisecond, and in every window that is looked at.
    const ages = [0, 0, 0, 1, 5_000, DAY_MS - 1_000, DAY_MS + 1_000, 5 * DAY_MS, 8 * DAY_MS, 8 * DAY_MS, 20 * DAY_MS, 29 * DAY_MS];
    await write(
      ages
        .map((age, index) => ({ atMs: nowMs - age, objectId: `o-${index}`, outcome: index % 2 === 0 ? "done" : "refused" }) as const)
        .reverse(),
    );
    for (const limit of [1, 2, 5, 50]) {
      const found: string[] = [];
      let after: string | null = null;
      for (;;) {
        const page: Awaited<ReturnType<typeof logs.workflow>> = await logs.workflow("SHOP-001", { filter: {}, after, limit });
        found.push(...objectsOf(page));
        assert.ok(page.items.length <= limit);
        if (page.next === null) break;
        after = page.next;
      }
      assert.deepEqual([...found].sort(), ages.map((_, index) => `o-${index}`).sort(), `limit ${limit}`);
      assert.equal(new Set(found).size, ages.length);
    }
    const filtered = async (filter: LogQuery["filter"]) => objectsOf(await logs.workflow("SHOP-001", { ...FIRST, filter }));
    assert.deepEqual(await filtered({ objectId: "o-11" }), ["o-11"]);
    assert.deepEqual(await filtered({ objectId: "o-1" }), ["o-1"]);
    assert.equal((await filtered({ requestId: "request-1" })).length, ages.length);
    assert.deepEqual(await filtered({ requestId: "request-2" }), []);
    assert.deepEqual((await filtered({ outcome: "refused" })).sort(), ["o-1", "o-11", "o-3", "o-5", "o-7", "o-9"]);
    assert.deepEqual((await filtered({ fromMs: nowMs - 9 * DAY_MS, untilMs: nowMs - 2 * DAY_MS })).sort(), ["o-7", "o-8", "o-9"]);
  });

  it("end after their days: what is older is not shown, and goes when the setting is lowered", async (test) => {
    const { world, client, logs, write, counted } = await open(test, 5);
    await migrate(client);
    const nowMs = Date.now();
    await write(
      [
        { atMs: nowMs - 31 * DAY_MS, objectId: "too-old" },
        { atMs: nowMs - 20 * DAY_MS, objectId: "old" },
        { atMs: nowMs - 2 * DAY_MS, objectId: "young" },
      ],
      [
        { atMs: nowMs - 20 * DAY_MS, objectId: "old" },
        { atMs: nowMs - 2 * DAY_MS, objectId: "young" },
      ],
    );
    // ClickHouse itself removes what is over already, in the background and at a time of its own.
    await counted({ workflow_log: 2, call_log: 2 });
    // The reader keeps its own bound, whatever ClickHouse has not removed yet.
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-001", FIRST)), ["young"]);
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-001", { ...FIRST, filter: { fromMs: nowMs - 25 * DAY_MS } })), ["young"]);

    assert.deepEqual(await applyActivityRetention(client, 30), []);
    assert.deepEqual(await applyActivityRetention(client, 5), ["workflow_log", "call_log"]);
    assert.deepEqual(await applyActivityRetention(client, 5), []);
    await counted({ workflow_log: 1, call_log: 1 });
    assert.equal((await ask(world, "SELECT DISTINCT object_id FROM relay.call_log")).text, "young\n");
    // What is inserted from now on is bound by it, too, and a longer time is taken back as well.
    await write([{ atMs: nowMs - 6 * DAY_MS, objectId: "over" }]);
    await counted({ workflow_log: 1 });
    assert.deepEqual(await applyActivityRetention(client, 90), ["workflow_log", "call_log"]);
    await write([{ atMs: nowMs - 80 * DAY_MS, objectId: "kept" }]);
    await counted({ workflow_log: 2 });
    assert.equal((await ask(world, "SELECT count() FROM relay.workflow_log WHERE object_id = 'kept'")).text, "1\n");
    await assert.rejects(applyActivityRetention(client, 0), RangeError);
  });

  it("are added to a store of before, whose rows stay", async (test) => {
    const { world, client, logs, write } = await open(test);
    const known = await readMigrations();
    await migrate(client, known.slice(0, 5));
    await client.insert({
      table: "relay.conflicts",
      values: [{ terminal_id: "T1", day: "2026-01-01", id: "1", uuid: "u", at: "2026-01-01 00:00:00.000", posted_by: "", raw: "" }],
      format: "JSONEachRow",
    });
    assert.deepEqual(await migrate(client, known.slice(0, 6)), [6]);
    assert.deepEqual(await migrate(client, known.slice(0, 6)), []);
    assert.equal((await ask(world, "SELECT count() FROM relay.conflicts")).text, "1\n");
    await write([{ objectId: "a" }]);
    assert.deepEqual(objectsOf(await logs.workflow("SHOP-001", FIRST)), ["a"]);
  });

  it("are made where a crash left the step half done", async (test) => {
    const { client, write } = await open(test);
    const known = await readMigrations();
    await migrate(client, known.slice(0, 5));
    await client.command({ query: known[5]?.statements[0] ?? "" });
    assert.deepEqual(await migrate(client, known.slice(0, 6)), [6]);
    await write([{ objectId: "a" }], [{ objectId: "a" }]);
  });
});

describe("while ClickHouse cannot be asked", () => {
  const unavailable = (text: RegExp) => (error: unknown) => {
    assert.ok(error instanceof RelayError);
    assert.equal(error.code, "unavailable");
    assert.match(error.message, text);
    return true;
  };

  it("a page says so", async (test) => {
    const server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    test.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const client = connectClickHouse({ url: `http://127.0.0.1:${address.port}`, ...ADMIN });
    test.after(() => client.close());
    const logs = createActivityReader({ client, clock: { nowMs: Date.now }, timers: machineTimers, retentionDays: 30 });
    await assert.rejects(logs.workflow("SHOP-001", FIRST), unavailable(/ClickHouse does not respond/));
    await assert.rejects(missingMerchantLogs("ClickHouse is starting").calls("SHOP-001", FIRST), unavailable(/ClickHouse is starting/));
  });

  it("a page of one that takes a connection and says nothing ends in time", async (test) => {
    const server = createServer(() => undefined);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    test.after(() => server.close());
    const address = server.address();
    assert.ok(address !== null && typeof address === "object");
    const client = connectClickHouse({ url: `http://127.0.0.1:${address.port}`, ...ADMIN });
    test.after(() => client.close());
    const logs = createActivityReader({ client, clock: { nowMs: Date.now }, timers: machineTimers, retentionDays: 30 });
    await within("its end", assert.rejects(logs.calls("SHOP-001", FIRST), unavailable(/in time/)), 5_000);
  });
});
