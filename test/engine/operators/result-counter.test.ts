import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createResultCountStore } from "../../../engine/operators/result-count-store.ts";
import { createResultCounter } from "../../../engine/operators/result-counter.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

const dayOf = (atMs: number) => (atMs < 100 ? "2025-01-01" : "2025-01-02");

function world() {
  const kv = new MemoryKv();
  const clock = { ms: 0, nowMs: () => clock.ms, monotonicMs: () => clock.ms };
  const failures: unknown[] = [];
  const store = createResultCountStore(kv, clock.nowMs);
  const open = (counter: string) => createResultCounter({ store, clock, dayOf, counter, failed: (what) => failures.push(what) });
  return { kv, clock, store, open, failures };
}

describe("counted results", () => {
  it("add up over shards and restarts, each day by itself", async () => {
    const { store, open } = world();
    const [one, other] = [open("a/0"), open("a/1")];
    one.count("CARD", "OK", 1);
    one.count("CARD", "OK", 2);
    one.count("CARD", "KO", 100);
    other.count("CARD", "OK", 3);
    await Promise.all([one.flush(), other.flush(), one.flush()]);
    const again = open("a/0");
    again.count("CARD", "OK", 4);
    again.count("SCAN", "OK", 5);
    await again.flush();
    assert.deepEqual(await store.total("2025-01-01"), { CARD: { OK: 4 }, SCAN: { OK: 1 } });
    assert.deepEqual(await store.total("2025-01-02"), { CARD: { KO: 1 } });
    assert.deepEqual(await store.total("2025-01-03"), {});
  });

  it("are not lost where the store is away for a while", async () => {
    const { kv, clock, store, open, failures } = world();
    const counter = open("a/0");
    kv.fate = () => "refused";
    counter.count("CARD", "OK", 1);
    await assert.rejects(counter.flush());
    counter.count("CARD", "OK", 2);
    clock.ms = 5_000;
    counter.tick();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(failures, ["result counts"]);
    kv.fate = () => "done";
    await counter.flush();
    assert.deepEqual(await store.total("2025-01-01"), { CARD: { OK: 2 } });
  });
});
