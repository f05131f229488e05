import assert from "node:assert/strict";
import { test } from "node:test";
import { writeAdapterOrder } from "../../../engine/callbacks/adapter-order.ts";
import { createAdministerCallbacks } from "../../../engine/callbacks/administer-callbacks.ts";
import { CALLBACK_LEASE_MS, CALLBACK_PAUSES_MS } from "../../../engine/callbacks/callback.ts";
import { createCallbackSender } from "../../../engine/callbacks/callback-sender.ts";
import { callbackOperations, createCallbackStore } from "../../../engine/callbacks/callback-store.ts";
import { eventually } from "../../support/within.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

const START_MS = 1_700_000_000_000;
const TX = "0a0b0c0d-0000-5000-8000-000000000001";

interface Posted {
  url: string;
  body: string;
}

/** A store with what a payment's end owes, and as many senders as nodes. */
function world(options: { nodes?: number; callbackUrl?: string | null; notifyUrl?: string | null } = {}) {
  const { nodes = 1, callbackUrl = "https://shop.example/callback", notifyUrl = "https://shop.example/notify" } = options;
  const kv = new MemoryKv();
  const store = createCallbackStore(kv);
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const posted: Posted[] = [];
  const told: string[] = [];
  const behaviour = {
    answer: async (_post: Posted): Promise<{ type: "delivered" } | { type: "failed"; reason: string }> => ({ type: "delivered" }),
  };
  const target = {
    post: async (url: string, body: string) => {
      posted.push({ url, body });
      return behaviour.answer({ url, body });
    },
  };
  const senders = Array.from({ length: nodes }, () =>
    createCallbackSender({
      ...{ store, target, clock },
      told: ({ type, id, attempts }) => told.push(`${type} ${id.slice(TX.length + 1)} ${attempts}`),
      failed: (what, error) => {
        throw new Error(what, { cause: error });
      },
    }),
  );
  const attachment = writeAdapterOrder({ merId: "M1", txId: "order-7", digest: "d", callbackUrl, notifyUrl });
  const end = async (state = "success", before = "waiting") => {
    const record = { order: { txId: TX, attachment }, state, paymentId: "p" };
    const operations = callbackOperations({ record, before: { state: before }, atMs: nowMs });
    await kv.commit({ checks: [], operations });
    return operations.length;
  };
  const advance = (ms: number) => {
    nowMs += ms;
  };
  /** Lets every sender look, and waits until nothing more happens: with a store in memory all is done in the same turn of the event loop. */
  const tick = async () => {
    for (const sender of senders) sender.tick();
    await new Promise((resolve) => setImmediate(resolve));
    advance(1_000);
  };
  return { kv, store, posted, told, behaviour, senders, end, advance, tick, administer: createAdministerCallbacks({ store, clock }) };
}

test("a payment's end is told to both addresses, once", async () => {
  const { end, tick, posted, store } = world();
  await end();
  await tick();
  await tick();
  const body = JSON.stringify({ merId: "M1", txId: "order-7", paymentId: TX });
  assert.deepEqual(
    posted.sort((a, b) => (a.url < b.url ? -1 : 1)),
    [
      { url: "https://shop.example/callback", body },
      { url: "https://shop.example/notify", body },
    ],
  );
  assert.deepEqual(await store.page("waiting", null, 10), []);
});

test("one address that stands in both places is told once", async () => {
  const { end, tick, posted } = world({ notifyUrl: "https://shop.example/callback" });
  await end();
  await tick();
  assert.equal(posted.length, 1);
});

test("nothing is owed before the end, twice for one end, or for what was never created", async () => {
  const { end } = world();
  assert.equal(await end("watching"), 0);
  assert.equal(await end("success", "success"), 0);
  assert.equal(await end("expired"), 4, "two records with their places in time");
  const none = callbackOperations({
    record: { order: { txId: TX, attachment: null }, state: "success", paymentId: "p" },
    before: null,
    atMs: 0,
  });
  assert.deepEqual(none, []);
});

test("a late success after an expiry is told too", async () => {
  const { end, tick, posted } = world({ notifyUrl: null });
  await end("expired");
  await end("success", "expired");
  await tick();
  assert.equal(posted.length, 2);
});

test("a failure is tried again after growing pauses, then it is dead, and an administrator has it sent again", async () => {
  const { end, tick, advance, posted, told, store, behaviour, administer } = world({ notifyUrl: null });
  behaviour.answer = async () => ({ type: "failed", reason: "answered 500" });
  await end();
  await tick();
  assert.equal(posted.length, 1);
  for (const [index, pauseMs] of CALLBACK_PAUSES_MS.entries()) {
    advance(pauseMs - 2_000);
    await tick();
    assert.equal(posted.length, index + 1, "not before its time");
    advance(pauseMs / 10 + 2_000);
    await tick();
    assert.equal(posted.length, index + 2);
  }
  assert.equal(told.at(-1), `dead success.callback ${CALLBACK_PAUSES_MS.length + 1}`);
  const [dead, ...more] = await administer.list("dead", null, 10);
  assert.equal(more.length, 0);
  assert.equal(dead?.lastError, "answered 500");
  assert.deepEqual([await store.count("dead", 10), await store.count("waiting", 10)], [1, 0]);
  advance(86_400_000);
  await tick();
  assert.equal(posted.length, CALLBACK_PAUSES_MS.length + 1, "it rests");
  behaviour.answer = async () => ({ type: "delivered" });
  assert.equal((await administer.resend(dead?.id ?? ""))?.attempts, 0);
  await tick();
  assert.equal(told.at(-1), "delivered success.callback 1");
  assert.deepEqual([...(await store.page("dead", null, 10)), ...(await store.page("waiting", null, 10))], []);
  assert.equal(await administer.resend("unknown"), null);
});

test("of several nodes one sends", async () => {
  const { end, tick, posted } = world({ nodes: 4 });
  await end();
  for (let round = 0; round < 3; round++) await tick();
  assert.equal(posted.length, 2);
});

test("a callback that another node claimed between the look at the clock and the record is left to it", async () => {
  const { end, tick, posted, told, kv, behaviour } = world({ nodes: 2, notifyUrl: null });
  behaviour.answer = async () => ({ type: "failed", reason: "answered 500" });
  await end();
  const read = kv.getMany.bind(kv);
  let asked = 0;
  kv.getMany = async (keys) => {
    // The second one reads the place in time now, and the record only after the first one has had its attempt.
    asked += 1;
    if (asked === 2) {
      await new Promise((resolve) => setImmediate(resolve));
      assert.deepEqual(told, ["failed success.callback 1"]);
    }
    return read(keys);
  };
  await tick();
  await tick();
  assert.ok(asked >= 2);
  assert.equal(posted.length, 1);
});

test("what a node took with it when it died is sent by another after the lease", async () => {
  const { end, tick, advance, posted, behaviour, store, senders } = world({ nodes: 2, notifyUrl: null });
  behaviour.answer = () => new Promise(() => undefined);
  await end();
  senders[0]?.tick();
  await eventually(() => assert.equal(posted.length, 1));
  behaviour.answer = async () => ({ type: "delivered" });
  advance(CALLBACK_LEASE_MS - 2_000);
  senders[1]?.tick();
  await tick();
  assert.equal(posted.length, 1, "it may still be at it");
  advance(2_000);
  await tick();
  assert.equal(posted.length, 2);
  assert.deepEqual(await store.page("waiting", null, 10), []);
});

test("a host that does not answer holds up nobody else", async () => {
  const { tick, posted, behaviour, kv } = world();
  behaviour.answer = ({ url }) => (url.includes("slow") ? new Promise(() => undefined) : Promise.resolve({ type: "delivered" }));
  for (let index = 0; index < 50; index++) {
    const host = index < 40 ? "slow.example" : "fast.example";
    const attachment = writeAdapterOrder({ merId: "M1", txId: "t", digest: "d", callbackUrl: `https://${host}/${index}`, notifyUrl: null });
    const order = { txId: `${TX}-${index}`, attachment };
    const record = { order, state: "success", paymentId: "p" };
    await kv.commit({ checks: [], operations: callbackOperations({ record, before: null, atMs: START_MS }) });
  }
  // Eight at a time to one host.
  await tick();
  await tick();
  assert.equal(posted.filter(({ url }) => url.includes("fast")).length, 10);
  assert.equal(posted.filter(({ url }) => url.includes("slow")).length, 8);
});

test("what is owed is counted over pages, up to a bound", async () => {
  const { kv, store } = world();
  const attachment = writeAdapterOrder({ merId: "M1", txId: "t", digest: "d", callbackUrl: "https://shop.example/", notifyUrl: null });
  const operations = Array.from({ length: 2_345 }, (_, index) => {
    const record = { order: { txId: `${TX}-${index}`, attachment }, state: "success", paymentId: "p" };
    return callbackOperations({ record, before: null, atMs: START_MS + index });
  });
  await kv.commit({ checks: [], operations: operations.flat() });
  assert.deepEqual(
    [
      await store.count("waiting", 10_000),
      await store.count("waiting", 2_345),
      await store.count("waiting", 2_000),
      await store.count("dead", 10),
    ],
    [2_345, 2_345, 2_000, 0],
  );
});

test("pages of the list follow each other", async () => {
  const { kv, administer } = world();
  for (let index = 0; index < 5; index++) {
    const attachment = writeAdapterOrder({ merId: "M1", txId: "t", digest: "d", callbackUrl: "https://shop.example/", notifyUrl: null });
    const record = { order: { txId: `${TX}-${index}`, attachment }, state: "success", paymentId: "p" };
    await kv.commit({ checks: [], operations: callbackOperations({ record, before: null, atMs: START_MS }) });
  }
  const first = await administer.list("waiting", null, 3);
  const second = await administer.list("waiting", first.at(-1)?.id ?? null, 3);
  assert.equal(new Set([...first, ...second].map(({ id }) => id)).size, 5);
});
