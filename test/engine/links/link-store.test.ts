import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createIdempotencyStore, IDEMPOTENCY_LIFETIME_MS } from "../../../engine/idempotency/idempotency-store.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { createLinkStore } from "../../../engine/links/link-store.ts";
import { type EmbeddedKv, openEmbeddedKv } from "../../../storage/kv/embedded.ts";
import { onEachEngine } from "../../contract/engines.ts";
import { testLinkStore } from "../../contract/link-store.ts";
import { atEnd, directoryOf, ManualTime } from "../../storage/kv/world.ts";
import { EXPIRES_MS, link } from "./machine-world.ts";

const RETENTION_MS = 400 * 86_400_000;

function storesOn(kv: Kv) {
  return { kv, store: createLinkStore({ kv, retentionMs: RETENTION_MS, writer: "w" }), claims: createIdempotencyStore(kv) };
}

await onEachEngine(testLinkStore, ({ kv, nowMs, close }) => ({ ...storesOn(kv), nowMs, close }));

describe("links in the embedded store", () => {
  async function open(test: Parameters<typeof directoryOf>[0]): Promise<{ kv: EmbeddedKv; time: ManualTime }> {
    const time = new ManualTime();
    const kv = await openEmbeddedKv({ directory: await directoryOf(test), nowMs: time.nowMs });
    atEnd(test, () => kv.close());
    return { kv, time };
  }
  const change = { before: null, version: 0, rows: [], attention: [], settled: [], atMs: 0 };

  it("go with their names after the retention, but stay as long as they are looked after", async (test) => {
    const { kv, time } = await open(test);
    const { store } = storesOn(kv);
    await store.commit({ ...change, record: link("success") });
    await store.commit({ ...change, record: link("watching", { order: { txId: "x2" }, paymentId: "g2" }) });
    time.ms = EXPIRES_MS + RETENTION_MS - 1;
    assert.notEqual(await store.findByTranId(1, "m1"), null);
    time.advance(2);
    assert.deepEqual([await store.load("x1"), await store.findByTranId(1, "m1")], [null, null]);
    assert.notEqual(await store.load("x2"), null);
  });

  it("take entries of others into the same commit", async (test) => {
    const { kv } = await open(test);
    const { store } = storesOn(kv);
    const beside = (value: string, version: number) => ({
      checks: [{ key: "intent/p1", version }],
      operations: [{ type: "put" as const, key: "intent/p1", value }],
    });
    assert.notEqual(await store.commit({ ...change, record: link("success"), alongside: beside("one", 0) }), null);
    assert.equal(await store.commit({ ...change, record: link("failed"), alongside: beside("two", 0) }), null);
    const other = link("success", { order: { txId: "x2" } });
    assert.equal(await store.commit({ ...change, record: other, alongside: beside("three", 0) }), null, "what it read was changed");
    assert.equal(await store.load("x2"), null);
    assert.equal((await kv.get("intent/p1"))?.value, "one");
  });

  it("are refused clearly where their schema is another", async (test) => {
    const { kv } = await open(test);
    await kv.commit({ checks: [], operations: [{ type: "put", key: "link/x1", value: '{"schema":3}' }] });
    await assert.rejects(storesOn(kv).store.load("x1"), /schema 3/);
  });

  it("an idempotency key is valid for thirty days", async (test) => {
    const { kv, time } = await open(test);
    const { claims } = storesOn(kv);
    await claims.save("s", { schema: 1, fingerprint: "f", operationId: "o", createdAtMs: time.ms, state: { type: "open" } }, 0);
    time.advance(IDEMPOTENCY_LIFETIME_MS - 1);
    assert.notEqual(await claims.load("s"), null);
    time.advance(2);
    assert.equal(await claims.load("s"), null);
  });

  it("an idempotency key with a lifetime of its own is valid for that long", async (test) => {
    const { kv, time } = await open(test);
    const { claims } = storesOn(kv);
    const claim = {
      schema: 1,
      fingerprint: "f",
      operationId: "o",
      createdAtMs: time.ms,
      lifetimeMs: 5_000,
      state: { type: "open" },
    } as const;
    await claims.save("s", claim, 0);
    time.advance(4_999);
    assert.notEqual(await claims.load("s"), null);
    time.advance(2);
    assert.equal(await claims.load("s"), null);
  });
});
