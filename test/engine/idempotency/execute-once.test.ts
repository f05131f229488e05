import assert from "node:assert/strict";
import { test } from "node:test";
import { CLAIM_LEASE_MS, createExecuteOnce, type OnceAnswer } from "../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../engine/idempotency/idempotency-store.ts";
import type { SecretBox } from "../../../engine/kernel/secret-box.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { ManualClock } from "../world.ts";

const REQUEST = { scope: "s1", fingerprint: "f1", sealed: false };

/** Turns texts around, so that what is sealed can be told from what is not. */
const turning: SecretBox = {
  seal: (secret, context) => `${context}:${[...secret].reverse().join("")}`,
  open: (sealed, context) => {
    assert.equal(sealed.startsWith(`${context}:`), true);
    return [...sealed.slice(context.length + 1)].reverse().join("");
  },
};

function open() {
  const kv = new MemoryKv();
  const clock = new ManualClock();
  const failures: string[] = [];
  let ids = 0;
  const runs: string[] = [];
  const executor = () =>
    createExecuteOnce({
      store: createIdempotencyStore(kv),
      clock,
      ids: { uuid: () => `id-${++ids}` },
      secretBox: turning,
      failed: (what) => failures.push(what),
    });
  /** Counts what is executed; answers with what `answer` gives. */
  const run =
    (answer: (operationId: string) => Promise<OnceAnswer> | OnceAnswer) =>
    async (operationId: string): Promise<OnceAnswer> => {
      runs.push(operationId);
      return answer(operationId);
    };
  return { kv, clock, failures, runs, run, once: executor(), another: executor };
}

const done = (text: string) => () => ({ text, final: true });

test("executes once a key and gives the stored answer from then on, to every writer", async () => {
  const { once, another, run, runs } = open();
  assert.deepEqual(await once(REQUEST, run(done("a"))), { type: "answered", text: "a", replayed: false });
  assert.deepEqual(await once(REQUEST, run(done("b"))), { type: "answered", text: "a", replayed: true });
  assert.deepEqual(await another()(REQUEST, run(done("c"))), { type: "answered", text: "a", replayed: true });
  assert.deepEqual(runs, ["id-1"]);
});

test("refuses another request with the same key, also while the first is under way", async () => {
  const { once, run } = open();
  let end = () => {};
  const first = once(
    REQUEST,
    run(() => new Promise((resolve) => (end = () => resolve({ text: "a", final: true })))),
  );
  await Promise.resolve();
  assert.deepEqual(await once({ ...REQUEST, fingerprint: "f2" }, run(done("b"))), { type: "differs" });
  assert.deepEqual(await once(REQUEST, run(done("b"))), { type: "running" });
  end();
  await first;
  assert.deepEqual(await once({ ...REQUEST, fingerprint: "f2" }, run(done("b"))), { type: "differs" });
});

test("of a hundred at once one executes", async () => {
  const { once, another, run, runs } = open();
  const executors = [once, another(), another()];
  const all = await Promise.all(Array.from({ length: 100 }, (_, index) => (executors[index % 3] ?? once)(REQUEST, run(done("a")))));
  assert.equal(runs.length, 1);
  assert.equal(all.filter(({ type }) => type === "answered").length, 1);
  assert.equal(all.filter(({ type }) => type === "running").length, 99);
});

test("what died in the middle is executed again after the lease, under the same id", async () => {
  const { once, another, clock, run, runs } = open();
  void once(
    REQUEST,
    run(() => new Promise(() => {})),
  );
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(CLAIM_LEASE_MS - 1);
  assert.deepEqual(await another()(REQUEST, run(done("a"))), { type: "running" });
  clock.advance(1);
  assert.deepEqual(await another()(REQUEST, run(done("a"))), { type: "answered", text: "a", replayed: false });
  assert.deepEqual(runs, ["id-1", "id-1"]);
});

test("one that was only slow and one that took over give the same answer", async () => {
  const { once, another, clock, run } = open();
  let end = () => {};
  const slow = once(
    REQUEST,
    run(() => new Promise((resolve) => (end = () => resolve({ text: "slow", final: true })))),
  );
  await new Promise((resolve) => setImmediate(resolve));
  clock.advance(CLAIM_LEASE_MS);
  assert.deepEqual(await another()(REQUEST, run(done("quick"))), { type: "answered", text: "quick", replayed: false });
  end();
  assert.deepEqual(await slow, { type: "answered", text: "quick", replayed: false });
});

test("an answer that does not stand, and an error, leave the key open for the same request under the same id", async () => {
  const { once, run, runs } = open();
  assert.deepEqual(
    await once(
      REQUEST,
      run(() => ({ text: "later", final: false })),
    ),
    { type: "answered", text: "later", replayed: false },
  );
  await assert.rejects(
    once(
      REQUEST,
      run(() => {
        throw new Error("broken");
      }),
    ),
    /broken/,
  );
  assert.deepEqual(await once({ ...REQUEST, fingerprint: "f2" }, run(done("b"))), { type: "differs" });
  assert.deepEqual(await once(REQUEST, run(done("a"))), { type: "answered", text: "a", replayed: false });
  assert.deepEqual(runs, ["id-1", "id-1", "id-1"]);
});

test("an answer that cannot be stored is given all the same; its repetition executes under the same id", async () => {
  const { once, kv, clock, run, runs, failures } = open();
  const answer = once(
    REQUEST,
    run(() => {
      kv.fate = () => "refused";
      return { text: "a", final: true };
    }),
  );
  assert.deepEqual(await answer, { type: "answered", text: "a", replayed: false });
  assert.deepEqual(failures, ["idempotency.answer"]);
  kv.fate = () => "done";
  clock.advance(CLAIM_LEASE_MS);
  assert.deepEqual(await once(REQUEST, run(done("a"))), { type: "answered", text: "a", replayed: false });
  assert.deepEqual(runs, ["id-1", "id-1"]);
});

test("nothing is executed without a stored claim", async () => {
  const { once, kv, run, runs } = open();
  kv.fate = () => "refused";
  await assert.rejects(once(REQUEST, run(done("a"))), { code: "unavailable" });
  assert.deepEqual(runs, []);
});

test("a sealed answer is not in the store in clear and is given again as it was", async () => {
  const { once, kv, run } = open();
  const sealed = { ...REQUEST, sealed: true };
  await once(sealed, run(done("a secret key")));
  const stored = await kv.get("i/s1");
  assert.equal(stored?.value.includes("secret"), false);
  assert.deepEqual(await once(sealed, run(done("b"))), { type: "answered", text: "a secret key", replayed: true });
});

test("a failure that frees the key leaves it to another request under another id, unless something may have been done before", async () => {
  const { once, run, runs, clock } = open();
  const request = (fingerprint: string) => ({ ...REQUEST, fingerprint, frees: (error: unknown) => String(error).includes("mistaken") });
  const failing = (message: string) =>
    run(() => {
      throw new Error(message);
    });
  await assert.rejects(once(request("f1"), failing("mistaken")));
  await assert.rejects(once(request("f1"), failing("mistaken")));
  await assert.rejects(once(request("f2"), failing("away")));
  assert.deepEqual(runs, ["id-1", "id-1", "id-2"]);
  // The first attempt of this request may have done something.
  await assert.rejects(once(request("f2"), failing("mistaken")));
  assert.deepEqual(await once(request("f3"), run(done("c"))), { type: "differs" });
  assert.deepEqual(await once(request("f2"), run(done("b"))), { type: "answered", text: "b", replayed: false });
  assert.equal(runs.at(-1), "id-2");
  clock.advance(CLAIM_LEASE_MS);
  assert.deepEqual(await once(request("f1"), run(done("a"))), { type: "differs" });
});
