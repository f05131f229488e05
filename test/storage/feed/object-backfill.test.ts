import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, beforeEach, describe, it } from "node:test";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { type Kv, prefixRange } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { ObjectRow } from "../../../engine/payments/object-row.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { migrate, readMigrations } from "../../../storage/clickhouse/migrate.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { createFeed } from "../../../storage/feed/feed.ts";
import type { FeedSink } from "../../../storage/feed/feed-sink.ts";
import { type ObjectBackfillEvent, startObjectBackfill } from "../../../storage/feed/object-backfill.ts";
import { rebuildAnalytics } from "../../../storage/feed/rebuild.ts";
import { AlertWorld } from "../../engine/alerts/world.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { rowsInStore } from "../../engine/payments/fed-objects.ts";
import { OWNER as LINK_OWNER, PortalLinkWorld } from "../../engine/portal-links/world.ts";
import { SubscriptionWorld } from "../../engine/subscriptions/world.ts";
import { ManualClock } from "../../engine/world.ts";
import { ADMIN, ask, sharedClickHouse } from "../clickhouse/clickhouse-world.ts";
import { putMerchant } from "../transactions/merchants-world.ts";
import { realClock } from "./feed-world.ts";

/** Leases and pauses pass fifty times as fast. */
const FAST = 50;
const fastClock: Clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() * FAST };
const fastTimers: Timers = { ...machineTimers, set: (ms, work) => machineTimers.set(ms / FAST, work) };

/** A store with some of everything: links that are open, paid, refunded and cancelled, a dispute, alerts, and a subscription with several cycles. */
async function storeWithAll(): Promise<MemoryKv> {
  const [kv, clock] = [new MemoryKv(), new ManualClock()];
  await putMerchant(kv, "M1", "TEST");
  const links = new PortalLinkWorld(1, { kv, clock });
  await links.create();
  const cancelled = await links.create();
  await links.portalLinks.cancel(LINK_OWNER, cancelled.id, links.next());
  const { txId } = await links.paid();
  await links
    .shard(0)
    .links.followUp({ txId, operationId: "refund-1", type: "refund", amountMinor: null }, { surface: "t", askedBy: "user" });
  const alerts = new AlertWorld(1, { kv, clock });
  await alerts.disputes.receive({ uuid: "pl_9.1" });
  const { id } = await alerts.receive();
  await alerts.refund(id);
  await alerts.receive({ networkRef: "R-2" });
  const subscriptions = new SubscriptionWorld(1, { kv, clock });
  const { id: subscriptionId } = await subscriptions.create();
  for (let cycle = 0; cycle < 3; cycle += 1) await subscriptions.until((await subscriptions.of(subscriptionId)).period.untilMs);
  return kv;
}

/** As it was before anything was fed. */
async function withoutRows(kv: MemoryKv): Promise<MemoryKv> {
  const operations = kv.keys("o/").map((key) => ({ type: "delete", key }) as const);
  await kv.commit({ checks: [], operations });
  return kv;
}

describe("things of merchants that were there before they were fed", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const sink = clickHouseSink(client);
  before(() => migrate(client));

  beforeEach(madeAnew);

  /** Another table, as of another ClickHouse. */
  async function madeAnew(): Promise<void> {
    await client.command({ query: "DROP TABLE relay.merchant_objects SYNC" });
    const made = (await readMigrations()).find(({ name }) => name === "merchant-objects");
    for (const query of made?.statements ?? []) await client.command({ query });
  }

  async function filled(kv: Kv, through: FeedSink = sink): Promise<ObjectBackfillEvent[]> {
    const events: ObjectBackfillEvent[] = [];
    const onEvent = (event: ObjectBackfillEvent) => void events.push(event);
    await startObjectBackfill({ kv, client, sink: through, clock: fastClock, timers: fastTimers, onEvent }).ended;
    return events;
  }

  const SHOWN = `object, id, merchant_id, livemode, toString(day), toUnixTimestamp64Milli(created_at), state, category, reason, amount_minor, currency, uuid, parent, attempt,
    toUnixTimestamp64Milli(due_at), toUnixTimestamp64Milli(active_at), toUnixTimestamp64Milli(ended_at), monthly_minor`;

  async function shown(): Promise<unknown[]> {
    const sql = `SELECT ${SHOWN} FROM relay.merchant_objects FINAL ORDER BY object, id FORMAT JSONCompactEachRow`;
    const { status, text } = await ask(world, sql, { output_format_json_quote_64bit_integers: "0" }, ADMIN);
    assert.equal(status, 200, text);
    return text
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));
  }

  async function stored(kv: Kv): Promise<unknown[]> {
    const rows = [...(await rowsInStore(kv, async () => false)).values()];
    rows.sort((one, other) => (`${one.object} ${one.id}` < `${other.object} ${other.id}` ? -1 : 1));
    return rows.map((row: ObjectRow) => [
      ...[row.object, row.id, row.merchantId, row.livemode, new Date(row.createdAtMs).toISOString().slice(0, 10), row.createdAtMs],
      ...[row.state, row.category, row.reason, row.amountMinor, row.currency, row.uuid, row.parent, row.attempt],
      ...[row.dueAtMs, row.activeAtMs, row.endedAtMs, row.monthlyMinor],
    ]);
  }

  it("come into ClickHouse once, as the store has them, and nothing is done at the next start", async () => {
    const kv = await withoutRows(await storeWithAll());
    const expected = await stored(kv);
    const kinds = new Set(expected.map((row) => (Array.isArray(row) ? row[0] : null)));
    assert.deepEqual([...kinds].sort(), ["alert", "charge", "dispute", "link", "refund", "subscription"]);
    assert.deepEqual(await filled(kv), [{ type: "filled", rows: expected.length, leftOut: 0 }]);
    assert.deepEqual(await shown(), expected);
    assert.deepEqual(await filled(kv), []);
  });

  it("are the same as what the feed brings, whichever is first", async () => {
    const kv = await storeWithAll();
    const expected = await stored(kv);
    const deliver = async () => {
      const feed = createFeed({ kv, sink, clock: realClock, timers: machineTimers });
      await feed.flush();
      await feed.stop();
    };
    await filled(kv);
    assert.deepEqual(await shown(), expected);
    await deliver();
    assert.deepEqual(await shown(), expected);
    await rebuildAnalytics({ kv, sink });
    assert.deepEqual(await shown(), expected);
    assert.deepEqual(kv.keys("o/"), []);
  });

  it("come again with a rebuild, and into a ClickHouse that was made anew", async () => {
    const kv = await withoutRows(await storeWithAll());
    const expected = await stored(kv);
    const { things, refused } = await rebuildAnalytics({ kv, sink });
    assert.deepEqual([things, refused], [7, 0]);
    assert.deepEqual(await shown(), expected);
    await filled(kv);
    await madeAnew();
    assert.deepEqual(await shown(), []);
    assert.deepEqual(await filled(kv), [{ type: "filled", rows: expected.length, leftOut: 0 }]);
    assert.deepEqual(await shown(), expected);
  });

  it("go on where a node has stopped, and leave out what cannot be read", async () => {
    const kv = await storeWithAll();
    const [entry] = await kv.scan({ ...prefixRange("portal-link/"), limit: 1 });
    assert.ok(entry !== undefined);
    for (let from = 0; from < 1_200; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => {
        const id = `pl_x${String(from + index).padStart(23, "0")}`;
        return { type: "put", key: `portal-link/${id}`, value: JSON.stringify({ ...JSON.parse(entry.value), id }) } as const;
      });
      await kv.commit({ checks: [], operations });
    }
    await kv.commit({ checks: [], operations: [{ type: "put", key: "dispute/dp_odd", value: '{"schema":9}' }] });
    const expected = await stored(kv);
    let sent = 0;
    const counted: FeedSink = {
      begin: () => {
        const insert = sink.begin();
        return {
          add: (row) => {
            sent += 1;
            insert.add(row);
          },
          send: () => insert.send(),
        };
      },
    };
    const stopping = startObjectBackfill({ kv, client, sink: counted, clock: fastClock, timers: fastTimers, onEvent: () => undefined });
    while (sent === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await stopping.stop();
    await stopping.ended;
    const [before, shownBefore] = [sent, (await shown()).length];
    assert.ok(before >= 500 && before < expected.length && shownBefore === before, `${before} of ${expected.length}`);
    const events = await filled(kv, counted);
    assert.equal(sent, expected.length, "none is sent twice by one that goes on");
    assert.deepEqual(events, [{ type: "filled", rows: expected.length - before, leftOut: 1 }]);
    assert.deepEqual(await shown(), expected);
  });

  it("answer the questions that the guide asks as examples", async () => {
    await filled(await withoutRows(await storeWithAll()));
    const guide = await readFile(new URL("../../../infra/docs/analytics.md", import.meta.url), "utf8");
    const questions = [...guide.matchAll(/^```sql\n([^`]*merchant_objects[^`]*)^```/gm)].flatMap(([, sql = ""]) => sql.split(/;\n/));
    const asked = questions.filter((question) => question.trim() !== "");
    assert.equal(asked.length, 4);
    for (const question of asked) {
      const { status, text } = await ask(world, question.replaceAll("SHOP-001", "M1").replaceAll("AND livemode ", ""));
      assert.equal(status, 200, `${question}: ${text}`);
    }
    const { text: answer } = await ask(world, asked[1]?.replaceAll("SHOP-001", "M1") ?? "");
    assert.match(answer, /^2023-11-01\t0\.5\n$/);
  });

  it("wait for ClickHouse, which is told once, and begin again where it was", async () => {
    const kv = await withoutRows(await storeWithAll());
    let failures = 3;
    const failing: FeedSink = {
      begin: () => {
        const insert = sink.begin();
        return {
          add: (row) => insert.add(row),
          send: async () => {
            failures -= 1;
            if (failures >= 0) throw new Error("away");
            await insert.send();
          },
        };
      },
    };
    const events = await filled(kv, failing);
    assert.deepEqual(
      events.map(({ type }) => type),
      ["away", "filled"],
    );
    assert.deepEqual(await shown(), await stored(kv));
  });
});
