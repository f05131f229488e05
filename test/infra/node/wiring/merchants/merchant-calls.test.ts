import assert from "node:assert/strict";
import { test } from "node:test";
import { createMinuteCounts } from "../../../../../engine/kernel/minute-counts.ts";
import { CallLimitReached, PAGE_CALLS_PER_MINUTE } from "../../../../../engine/partners/merchant-calls.ts";
import { STORE_OWNER } from "../../../../../infra/node/boot/shard-boot.ts";
import { composeMerchantCalls, type MerchantCallsParts } from "../../../../../infra/node/wiring/merchants/merchant-calls.ts";

type Handler = Parameters<MerchantCallsParts["bus"]["handle"]>[1];

/** Creates the bus of a node whose counting thread may be unavailable. */
function nodeBus() {
  const state: { handler: Handler | null; isAway: boolean } = { handler: null, isAway: false };
  const bus: MerchantCallsParts["bus"] = {
    handle: (kind, handler) => {
      if (kind === "shard.countCall") state.handler = handler;
    },
    request: async (_to, _kind, request) => {
      if (state.isAway || state.handler === null) throw new Error("nobody answers");
      return state.handler(request, "main");
    },
  };
  return { bus, state };
}

const SHOP = { merchantId: "shop", requestsPerMinute: 3 };

async function outcomes(calls: Promise<void>[]): Promise<{ admitted: number; limited: unknown[] }> {
  const settled = await Promise.allSettled(calls);
  return {
    admitted: settled.filter(({ status }) => status === "fulfilled").length,
    limited: settled.flatMap((one) => (one.status === "rejected" ? [one.reason] : [])),
  };
}

test("counts the calls of a merchant across all threads, and names the time to retry over the limit", async () => {
  const { bus } = nodeBus();
  const threads = [STORE_OWNER, "shard-1", "shard-2"].map((address) =>
    composeMerchantCalls({ address, bus, monotonicMs: () => 5_000, shared: null }),
  );
  const { admitted, limited } = await outcomes([...threads, ...threads].map((thread) => thread.admitMerchant(SHOP)));
  assert.equal(admitted, 3);
  assert.equal(limited.length, 3);
  for (const error of limited) {
    assert.ok(error instanceof CallLimitReached);
    assert.deepEqual([error.code, error.limit, error.retryAfterSeconds], ["rate_limited", 3, 61]);
  }
});

test("counts the calls of a page by its address and its payment, across all threads", async () => {
  const { bus } = nodeBus();
  const [one, other] = [STORE_OWNER, "shard-1"].map((address) =>
    composeMerchantCalls({ address, bus, monotonicMs: () => 0, shared: null }),
  );
  assert.ok(one !== undefined && other !== undefined);
  const calls = Array.from({ length: PAGE_CALLS_PER_MINUTE + 5 }, (_, n) => (n % 2 === 0 ? one : other).admitPage("192.0.2.1", "pi_1"));
  assert.equal((await outcomes(calls)).admitted, PAGE_CALLS_PER_MINUTE);
  await one.admitPage("192.0.2.2", "pi_1");
  await other.admitPage("192.0.2.1", "pi_2");
});

test("counts alone if the counting thread does not respond", async () => {
  const { bus, state } = nodeBus();
  composeMerchantCalls({ address: STORE_OWNER, bus, monotonicMs: () => 0, shared: null });
  const thread = composeMerchantCalls({ address: "shard-1", bus, monotonicMs: () => 0, shared: null });
  state.isAway = true;
  assert.equal((await outcomes(Array.from({ length: 5 }, () => thread.admitMerchant(SHOP)))).admitted, 3);
});

test("uses the shared counts of a cluster for merchants only, and the counts of the node without them", async () => {
  const shared = { counts: createMinuteCounts(() => 0), isAway: false, asked: new Set<string>() };
  const take = async (key: string, max: number) => {
    shared.asked.add(key);
    if (shared.isAway) throw new Error("away");
    return shared.counts.take(key, max);
  };
  const nodes = [nodeBus(), nodeBus()].map(({ bus }) =>
    composeMerchantCalls({ address: STORE_OWNER, bus, monotonicMs: () => 0, shared: { take } }),
  );
  assert.equal((await outcomes([...nodes, ...nodes, ...nodes].map((node) => node.admitMerchant(SHOP)))).admitted, 3);
  await nodes[0]?.admitPage("192.0.2.1", "pi_1");
  assert.deepEqual([...shared.asked], ["shop"]);
  shared.isAway = true;
  assert.equal((await outcomes(Array.from({ length: 5 }, () => nodes[0]?.admitMerchant(SHOP) ?? Promise.resolve()))).admitted, 3);
});
