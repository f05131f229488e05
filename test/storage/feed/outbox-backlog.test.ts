import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import { outboxKeyAt } from "../../../engine/payments/outbox.ts";
import { createOutboxBacklog } from "../../../storage/feed/outbox-backlog.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { ownWorldTest } from "../../contract/own-world.ts";
import { MemoryKv } from "../../engine/kernel/memory-kv.ts";
import { keysUnder, START_MS, transactionRow, write } from "./feed-world.ts";

const NOTHING = { depth: 0, capped: false, oldestAgeMs: 0 };

const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => transactionRow({ uuid: `u${index}` }));

/** Two seconds after START_MS, until a test moves it. */
function clockAt() {
  let ms = 2_000;
  const advance = (by: number): void => {
    ms += by;
  };
  return { nowMs: () => START_MS + ms, monotonicMs: () => ms, advance };
}

await onEachEngine(
  (name, open: () => Promise<{ kv: Kv; close(): Promise<void> }>) => {
    describe(`how far ClickHouse is behind, from ${name}`, () => {
      const test = ownWorldTest(open);

      test("is the rows of the outbox, exactly, and the age of the oldest", async ({ kv }) => {
        const look = createOutboxBacklog({ kv, clock: clockAt(), deliveredUntil: () => null });
        assert.deepEqual(await look(), NOTHING);
        // Neighbours of the outbox are none of it: what was refused, and others' records.
        await kv.commit({ checks: [], operations: ["n/1", "op/1", "p/1"].map((key) => ({ type: "put", key, value: "{}" })) });
        assert.deepEqual(await look(), NOTHING);
        await write(kv, rowsOf(1), START_MS);
        await write(kv, rowsOf(2_500), START_MS + 1_000);
        assert.deepEqual(await look(), { depth: 2_501, capped: false, oldestAgeMs: 2_000 });
        const [oldest = ""] = await keysUnder(kv, "o/");
        await kv.commit({ checks: [], operations: [{ type: "delete", key: oldest }] });
        assert.deepEqual(await look(), { depth: 2_500, capped: false, oldestAgeMs: 1_000 });
      });

      test("is counted to 100,000, and beyond it is said that there are more", async ({ kv }) => {
        const look = createOutboxBacklog({ kv, clock: clockAt(), deliveredUntil: () => null });
        await write(kv, rowsOf(100_000), START_MS);
        assert.deepEqual(await look(), { depth: 100_000, capped: false, oldestAgeMs: 2_000 });
        await write(kv, rowsOf(1), START_MS);
        assert.deepEqual(await look(), { depth: 100_000, capped: true, oldestAgeMs: 2_000 });
      });
    });
  },
  ({ kv, close }) => ({ kv, close }),
);

describe("how far ClickHouse is behind", () => {
  it("counts a row that was committed late, before what was delivered, within a minute and until it is gone", async () => {
    const [kv, clock] = [new MemoryKv(), clockAt()];
    const look = createOutboxBacklog({ kv, clock, deliveredUntil: () => outboxKeyAt(START_MS) });
    assert.deepEqual(await look(), NOTHING);
    await write(kv, rowsOf(1), START_MS - 3_600_000);
    await write(kv, rowsOf(1), START_MS);
    assert.equal((await look()).depth, 1);
    clock.advance(60_000);
    const late = { depth: 2, capped: false, oldestAgeMs: 3_600_000 + 62_000 };
    assert.deepEqual([await look(), await look()], [late, late]);
    await kv.commit({ checks: [], operations: kv.keys("o/").map((key) => ({ type: "delete", key })) });
    assert.deepEqual(await look(), NOTHING);
  });

  it("is nothing where all is delivered between its two questions", async () => {
    const kv = new MemoryKv();
    await write(kv, rowsOf(3), START_MS);
    const scan = kv.scan.bind(kv);
    kv.scan = async (range) => {
      const entries = await scan(range);
      await kv.commit({ checks: [], operations: kv.keys("o/").map((key) => ({ type: "delete", key })) });
      return entries;
    };
    assert.deepEqual(await createOutboxBacklog({ kv, clock: clockAt(), deliveredUntil: () => null })(), NOTHING);
  });

  it("is not told by a store that cannot be read", async () => {
    const kv = new MemoryKv();
    await write(kv, rowsOf(3), START_MS);
    kv.unreadable = true;
    await assert.rejects(createOutboxBacklog({ kv, clock: clockAt(), deliveredUntil: () => null })(), StorageUnavailable);
  });
});
