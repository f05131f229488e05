import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { prefixRange } from "../../../engine/kernel/kv.ts";
import type { FeedRow } from "../../../engine/payments/feed-row.ts";
import { outboxOperation } from "../../../engine/payments/outbox.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { createFeed, type FeedEvent } from "../../../storage/feed/feed.ts";
import { type FeedSink, RowsRefused } from "../../../storage/feed/feed-sink.ts";
import { countSetAside } from "../../../storage/feed/set-aside.ts";
import type { EmbeddedKv } from "../../../storage/kv/embedded.ts";
import { within } from "../../support/within.ts";
import { keysUnder, notedTimers, openKv, realClock, sinkOf, transactionRow, write } from "./feed-world.ts";

async function kvOf(test: TestContext): Promise<EmbeddedKv> {
  const directory = await mkdtemp(join(tmpdir(), "relay-feed-"));
  const kv = await openKv(directory);
  test.after(async () => {
    await kv.close();
    await rm(directory, { recursive: true, force: true });
  });
  return kv;
}

function uuidOf(row: FeedRow): string {
  return row.type === "transaction" ? row.transaction.uuid : row.uuid;
}

/** Takes everything, and remembers it; `before` may throw or wait. */
function rememberingSink(before: (rows: readonly FeedRow[]) => Promise<void> = async () => undefined): FeedSink & { taken: string[] } {
  const taken: string[] = [];
  const sink = sinkOf(async (rows) => {
    await before(rows);
    taken.push(...rows.map(uuidOf));
  });
  return { taken, ...sink };
}

describe("the feed", () => {
  it("delivers what was written before its start and after it, in order, and then forgets it", async (test) => {
    const kv = await kvOf(test);
    await write(kv, [transactionRow({ uuid: "a" }), transactionRow({ uuid: "b" })]);
    const sink = rememberingSink();
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers });
    await feed.flush();
    await write(kv, [transactionRow({ uuid: "c" })]);
    await feed.flush();
    await feed.stop();
    assert.deepEqual(sink.taken, ["a", "b", "c"]);
    assert.deepEqual(await keysUnder(kv, "o/"), []);
    assert.deepEqual(feed.stats(), { inserted: 3, failures: 0, refused: 0 });
  });

  it("delivers by itself what was written, told or not", async (test) => {
    const kv = await kvOf(test);
    const arrivals: (() => void)[] = [];
    const sink = rememberingSink(async () => arrivals.splice(0).forEach((arrived) => void arrived()));
    const { timers, pausesMs } = notedTimers();
    const feed = createFeed({ kv, sink, clock: realClock, timers });
    await feed.flush();
    for (const told of [false, true]) {
      const arrived = new Promise<void>((resolve) => arrivals.push(resolve));
      await write(kv, [transactionRow({ uuid: String(told) })]);
      if (told) feed.wake();
      await within("the row", arrived);
    }
    // It never rests for longer, whatever the machine takes besides.
    assert.ok(Math.max(...pausesMs) <= 1_000, `${Math.max(...pausesMs)} ms`);
    await feed.stop();
  });

  it("keeps a row in the outbox until the sink has confirmed it", async (test) => {
    const kv = await kvOf(test);
    await write(kv, [transactionRow({ uuid: "a" })]);
    let confirm = (): void => undefined;
    let reached = (): void => undefined;
    const underWay = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const sink = rememberingSink(() => {
      reached();
      return new Promise((resolve) => {
        confirm = resolve;
      });
    });
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers });
    await underWay;
    assert.equal((await keysUnder(kv, "o/")).length, 1);
    confirm();
    await feed.flush();
    assert.deepEqual(await keysUnder(kv, "o/"), []);
    await feed.stop();
  });

  it("goes on with everything when the sink comes back", async (test) => {
    const kv = await kvOf(test);
    await write(kv, [transactionRow({ uuid: "a" }), transactionRow({ uuid: "b" })]);
    let attempts = 0;
    const sink = rememberingSink(async () => {
      attempts += 1;
      if (attempts <= 2) throw new Error("away");
    });
    const events: FeedEvent["type"][] = [];
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers, onEvent: ({ type }) => events.push(type) });
    await feed.flush();
    await feed.stop();
    assert.deepEqual(sink.taken, ["a", "b"]);
    assert.deepEqual(events, ["away", "away", "back"]);
    assert.equal(feed.stats().failures, 2);
  });

  it("sets a refused row and a text that is no row aside with the reason, and delivers all others", async (test) => {
    const kv = await kvOf(test);
    const uuids = Array.from({ length: 100 }, (_, index) => `u${index}`);
    await write(
      kv,
      uuids.map((uuid) => transactionRow({ uuid })),
    );
    const broken = outboxOperation(transactionRow({ uuid: "x" }), Date.now(), "broken");
    await kv.commit({ checks: [], operations: [{ ...broken, type: "put", value: "{" }] });
    let attempts = 0;
    const sink = rememberingSink(async (rows) => {
      if (rows.some((row) => ["u0", "u57"].includes(uuidOf(row)))) throw new RowsRefused("too odd");
      // One failure in the middle of the halving: what was settled must not be lost or repeated.
      attempts += 1;
      if (attempts === 3) throw new Error("away");
    });
    const events: FeedEvent[] = [];
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers, onEvent: (event) => events.push(event) });
    await feed.flush();
    await feed.stop();
    assert.deepEqual(sink.taken.sort(), uuids.filter((uuid) => uuid !== "u0" && uuid !== "u57").sort());
    assert.equal(feed.stats().refused, 3);
    assert.deepEqual(await keysUnder(kv, "o/"), []);
    const kept = await kv.scan({ from: "op/", to: "op0", limit: 10 });
    const reasons = kept.map(({ value }) => JSON.parse(value).reason);
    assert.deepEqual(reasons.sort(), ["the outbox entry is not JSON of a row", "too odd", "too odd"]);
    const told = events.flatMap((event) => (event.type === "row_refused" ? [[event.rowType, event.terminalId, event.uuid]] : []));
    assert.deepEqual(told.sort(), [
      ["transaction", "T1", "u0"],
      ["transaction", "T1", "u57"],
      ["unreadable", "", null],
    ]);
    const items = await kv.scan({ ...prefixRange("a/"), limit: 10 });
    assert.deepEqual(
      items.map(({ key }) => key),
      ["a/feed_refused//", "a/feed_refused/T1/u0", "a/feed_refused/T1/u57"],
    );
    const { kind, detail, raw } = JSON.parse(items[1]?.value ?? "null");
    assert.deepEqual([kind, raw], ["feed_refused", null]);
    assert.match(detail, /transaction.*rebuild-analytics sends it again: too odd$/);
    assert.equal(await countSetAside(kv, 10), 3);
    assert.equal(await countSetAside(kv, 2), 2);
  });

  it("finds a row that was committed late under an earlier key", async (test) => {
    const kv = await kvOf(test);
    const sink = rememberingSink();
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers });
    const nowMs = Date.now();
    await write(kv, [transactionRow({ uuid: "new" })], nowMs);
    await feed.flush();
    await write(kv, [transactionRow({ uuid: "a second late" })], nowMs - 1_000);
    await feed.flush();
    await write(kv, [transactionRow({ uuid: "an hour late" })], nowMs - 3_600_000);
    await feed.flush();
    await feed.stop();
    assert.deepEqual(sink.taken, ["new", "a second late", "an hour late"]);
  });

  it("delivers a backlog of more than one batch, each row once", async (test) => {
    const kv = await kvOf(test);
    const uuids = Array.from({ length: 25_000 }, (_, index) => `u${index}`);
    await write(
      kv,
      uuids.map((uuid) => transactionRow({ uuid })),
    );
    const sizes: number[] = [];
    const sink = rememberingSink(async (rows) => void sizes.push(rows.length));
    const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers });
    await feed.flush();
    await feed.stop();
    assert.equal(new Set(sink.taken).size, uuids.length);
    assert.equal(sink.taken.length, uuids.length);
    assert.ok(sizes.every((size) => size <= 10_000));
  });

  it("stops in the middle of an outage and leaves everything in the outbox", async (test) => {
    const kv = await kvOf(test);
    await write(kv, [transactionRow({ uuid: "a" })]);
    const failed = new Promise<void>((resolve) => {
      const sink = rememberingSink(() => Promise.reject(new Error("away")));
      const feed = createFeed({
        kv,
        sink,
        clock: realClock,
        timers: machineTimers,
        onEvent: () => resolve(feed.stop()),
      });
    });
    await failed;
    assert.equal((await keysUnder(kv, "o/")).length, 1);
  });
});
