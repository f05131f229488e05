import assert from "node:assert/strict";
import { test } from "node:test";
import { IDEMPOTENCY_LIFETIME_MS } from "../../../engine/idempotency/idempotency-store.ts";
import { MADE_KEYS } from "../../../engine/partners/merchant-store.ts";
import { KEYS_WAIT_MS, type KeysOutcome } from "../../../engine/partners/replace-keys.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { grant, merchantWorld, newKeys, storedText } from "./merchant-world.ts";

function made(outcome: KeysOutcome) {
  assert.ok(outcome.type === "changed", outcome.type);
  return outcome;
}

async function withShop() {
  const world = merchantWorld();
  const created = await world.merchants.create(grant(), { merchantId: "shop" }, "op");
  assert.ok(created.type === "created");
  return { ...world, first: created.keys };
}

test("a person gets the new pair, the former one ends with it, and what is shown afterwards is no secret", async () => {
  const { ownMerchant, merchantByKey, first, clock, kv, notices } = await withShop();
  clock.advance(1_000);
  const by = { type: "person", email: "mara@example.com" } as const;
  const { keys, merchant, madeAtMs } = made(await ownMerchant.replaceKeys("shop", { operationId: "op-1", by, reason: "routine" }));
  assert.equal(madeAtMs, clock.nowMs());
  assertMatches(await merchantByKey(keys.secret), { merchantId: "shop", kind: "secret" });
  for (const former of [first.secret, first.publishable]) assert.equal(await merchantByKey(former), "replaced");
  assert.deepEqual(merchant.shownKeys, { publishable: keys.publishable, secretPrefix: keys.secret.slice(0, 16), madeAtMs });
  assert.deepEqual((await ownMerchant.find("shop")).shownKeys, merchant.shownKeys);
  assert.equal((await storedText(kv)).includes(keys.secret), false);
  assert.deepEqual(notices, [{ merchantId: "shop", change: { type: "replaced", by, environment: "TEST", first: false, made: [] } }]);
  assert.match(await storedText(kv), /^told\/shop\/1 replaced$/m);
});

test("the same operation again, at any shard and at once, has made one pair, and tells once", async () => {
  const { shard, replaceKeys, merchantByKey, kv, first } = await withShop();
  const shards = [replaceKeys, shard().replaceKeys, shard().replaceKeys];
  const answers = await Promise.all(
    Array.from({ length: 30 }, async (_, index) => made(await (shards[index % 3] ?? replaceKeys)(grant(), "shop", newKeys("op-1")))),
  );
  const [{ keys } = assert.fail("nobody was answered")] = answers;
  for (const answer of answers) assert.deepEqual(answer.keys, keys);
  assertMatches(await merchantByKey(keys.secret), { kind: "secret" });
  assert.equal(await merchantByKey(first.secret), "replaced");
  assert.equal((await storedText(kv)).match(/^told\//gm)?.length, 1);
});

test("a first attempt of which nobody knows whether it was stored is continued by its repetition", async () => {
  const { replaceKeys, merchantByKey, kv, first } = await withShop();
  for (const [operationId, fate] of [
    ["op-1", "answer lost"],
    ["op-2", "refused"],
  ] as const) {
    kv.fate = () => fate;
    await assert.rejects(replaceKeys(grant(), "shop", newKeys(operationId)), { code: "unavailable" });
    kv.fate = () => "done";
    const { keys } = made(await replaceKeys(grant(), "shop", newKeys(operationId)));
    assertMatches(await merchantByKey(keys.secret), { kind: "secret" });
  }
  // Two operations: the pair before them is not remembered any more.
  assert.equal(await merchantByKey(first.secret), null);
});

test("the repetition of an operation that another one has overtaken answers as before, and ends nothing", async () => {
  const { replaceKeys, merchantByKey } = await withShop();
  const one = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  const two = made(await replaceKeys(grant(), "shop", newKeys("op-2")));
  const again = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  assert.deepEqual(again.keys, one.keys);
  assertMatches(await merchantByKey(two.keys.secret), { kind: "secret" });
  assert.equal(await merchantByKey(one.keys.secret), "replaced");
});

test("a pair is kept, sealed, for as long as a request may be repeated", async () => {
  const { replaceKeys, store, kv, clock } = await withShop();
  const ends: (number | undefined)[] = [];
  kv.fate = ({ operations }) => {
    ends.push(...operations.flatMap((one) => (one.type === "put" && one.key.startsWith(MADE_KEYS) ? [one.expiresAtMs] : [])));
    return "done";
  };
  await replaceKeys(grant(), "shop", newKeys("op-1"));
  assert.deepEqual(ends, [clock.nowMs() + IDEMPOTENCY_LIFETIME_MS]);
  assert.match((await store.madeKeys("shop", "op-1")) ?? "", /^\[merchant\/shop\/made-keys\/op-1\]/);
  for (const [merchantId, operationId] of [
    ["shop", "op-2"],
    ["shop-2", "op-1"],
  ] as const) {
    assert.equal(await store.madeKeys(merchantId, operationId), null);
  }
});

test("records of before what is shown of keys was kept can be read, and get it with their next keys", async () => {
  const { store, ownMerchant, replaceKeys } = await withShop();
  const stored = await store.load("shop");
  assert.ok(stored !== null);
  const { shownKeys: _, ...old } = stored.record;
  await store.commit({ merchant: { record: old, version: stored.version }, before: stored.record, count: null, secrets: null });
  assert.equal((await ownMerchant.find("shop")).shownKeys, undefined);
  await replaceKeys(grant(), "shop", newKeys("op-1"));
  assertMatches((await ownMerchant.find("shop")).shownKeys, { secretPrefix: /^sk_merchant_/ });
});

const PERSON = { type: "person", email: "mara@example.com" } as const;

/** A shop with an active owner, for which the partner has asked for keys. */
async function withPending() {
  const world = await withShop();
  world.owned.add("shop");
  const asked = made(await world.replaceKeys(grant(), "shop", newKeys("op-1")));
  return { ...world, asked };
}

test("keys that the partner asks for while an owner is active wait for a day, and the present ones go on until then", async () => {
  const { asked, first, merchantByKey, ownMerchant, notices, clock } = await withPending();
  const appliesAtMs = clock.nowMs() + KEYS_WAIT_MS;
  assert.equal(asked.appliesAtMs, appliesAtMs);
  assert.deepEqual(notices, [
    { merchantId: "shop", change: { type: "requested", appliesAtMs, environment: "TEST", first: false, made: [] } },
  ]);
  for (const key of [asked.keys.secret, asked.keys.publishable]) assert.equal(await merchantByKey(key), "pending");
  clock.advance(KEYS_WAIT_MS - 1);
  assertMatches(await merchantByKey(first.secret), { kind: "secret" });
  assertMatches(await ownMerchant.find("shop"), { pendingKeys: { appliesAtMs, shownKeys: { publishable: asked.keys.publishable } } });

  clock.advance(1);
  assertMatches(await merchantByKey(asked.keys.secret), { kind: "secret" });
  assertMatches(await merchantByKey(asked.keys.publishable), { kind: "publishable" });
  for (const key of [first.secret, first.publishable]) assert.equal(await merchantByKey(key), "replaced");
  const { shownKeys, pendingKeys } = await ownMerchant.find("shop");
  assert.deepEqual([shownKeys?.publishable, pendingKeys], [asked.keys.publishable, undefined]);
});

test("keys that took effect by themselves are the former ones of the next pair", async () => {
  const { asked, first, replaceKeys, merchantByKey, clock } = await withPending();
  clock.advance(KEYS_WAIT_MS);
  const next = made(await replaceKeys(grant(), "shop", { ...newKeys("op-2"), reason: "leaked" }));
  assertMatches(await merchantByKey(next.keys.secret), { kind: "secret" });
  assert.equal(await merchantByKey(asked.keys.secret), "replaced");
  assert.equal(await merchantByKey(first.secret), null);
});

test("a repetition of the request gets the waiting pair again, and the day does not begin anew", async () => {
  const { asked, replaceKeys, clock, notices } = await withPending();
  clock.advance(3_600_000);
  const again = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  assert.deepEqual([again.keys, again.appliesAtMs], [asked.keys, asked.appliesAtMs]);
  assert.equal(notices.length, 1);
});

test("another request replaces what waits, and the pair before it never counts", async () => {
  const { asked, first, replaceKeys, merchantByKey, clock } = await withPending();
  clock.advance(3_600_000);
  const other = made(await replaceKeys(grant(), "shop", newKeys("op-2")));
  assert.equal(other.appliesAtMs, clock.nowMs() + KEYS_WAIT_MS);
  assert.equal(await merchantByKey(asked.keys.secret), null);
  clock.advance(KEYS_WAIT_MS);
  assert.equal(await merchantByKey(asked.keys.secret), null);
  assertMatches(await merchantByKey(other.keys.secret), { kind: "secret" });
  assert.equal(await merchantByKey(first.secret), "replaced");
});

test("keys that leaked are replaced at once, as are those that a person replaces, and nothing waits any more", async () => {
  for (const request of [
    { by: { type: "partner" }, reason: "leaked" },
    { by: PERSON, reason: "routine" },
  ] as const) {
    const { asked, first, replaceKeys, merchantByKey, ownMerchant, clock } = await withPending();
    const now = made(await replaceKeys(grant(), "shop", { operationId: "op-2", ...request }));
    assert.equal(now.appliesAtMs, null);
    assertMatches(await merchantByKey(now.keys.secret), { kind: "secret" });
    assert.equal(await merchantByKey(first.secret), "replaced");
    clock.advance(KEYS_WAIT_MS);
    assert.equal(await merchantByKey(asked.keys.secret), null);
    assertMatches(await merchantByKey(now.keys.secret), { kind: "secret" });
    assert.equal((await ownMerchant.find("shop")).pendingKeys, undefined);
  }
});

test("an owner confirms the very keys that it has seen, which then count at once", async () => {
  const { asked, first, ownMerchant, merchantByKey, notices } = await withPending();
  assert.deepEqual(await ownMerchant.confirmKeys("shop", first.publishable, PERSON), { type: "none" });
  assertMatches(await merchantByKey(first.secret), { kind: "secret" });
  assertMatches(await ownMerchant.confirmKeys("shop", asked.keys.publishable, PERSON), {
    type: "changed",
    merchant: { shownKeys: { publishable: asked.keys.publishable }, pendingKeys: undefined },
  });
  assertMatches(await merchantByKey(asked.keys.secret), { kind: "secret" });
  assert.equal(await merchantByKey(first.secret), "replaced");
  assert.deepEqual(notices.at(-1)?.change, { type: "replaced", by: PERSON, environment: "TEST", first: false, made: [] });
  assert.deepEqual(await ownMerchant.confirmKeys("shop", asked.keys.publishable, PERSON), { type: "none" });
});

test("an owner refuses them, and they never count", async () => {
  const { asked, first, ownMerchant, merchantByKey, notices, clock } = await withPending();
  assertMatches(await ownMerchant.refuseKeys("shop", PERSON), { type: "changed", merchant: { pendingKeys: undefined } });
  assert.deepEqual(notices.at(-1)?.change, { type: "refused", by: PERSON });
  clock.advance(KEYS_WAIT_MS);
  assert.equal(await merchantByKey(asked.keys.secret), null);
  assertMatches(await merchantByKey(first.secret), { kind: "secret" });
  assert.deepEqual(await ownMerchant.refuseKeys("shop", PERSON), { type: "none" });
});

test("keys whose time has come can no longer be refused", async () => {
  const { asked, ownMerchant, merchantByKey, clock } = await withPending();
  clock.advance(KEYS_WAIT_MS);
  assert.deepEqual(await ownMerchant.refuseKeys("shop", PERSON), { type: "none" });
  assertMatches(await merchantByKey(asked.keys.secret), { kind: "secret" });
});

test("the partner's first keys of LIVE wait for an owner as others do, beside those of TEST, and each is confirmed for itself", async () => {
  const { merchants, replaceKeys, ownMerchant, merchantByKey, first, owned, notices, clock } = await withShop();
  owned.add("shop");
  await merchants.patch(grant(), "shop", { environment: "LIVE" });
  const live = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  const test = made(await replaceKeys(grant(), "shop", { ...newKeys("op-2"), environment: "TEST" }));
  assertMatches(
    notices.map(({ change }) => change),
    [
      { type: "moved", environment: "LIVE" },
      { type: "requested", environment: "LIVE", first: true },
      { type: "requested", environment: "TEST", first: false },
    ],
  );
  for (const { keys } of [live, test]) assert.equal(await merchantByKey(keys.secret), "pending");
  assert.equal((await ownMerchant.confirmKeys("shop", live.keys.publishable, PERSON)).type, "changed");
  assertMatches(await merchantByKey(live.keys.secret), { livemode: true, kind: "secret" });
  assert.equal(await merchantByKey(test.keys.secret), "pending");
  assertMatches(await merchantByKey(first.secret), { livemode: false });
  clock.advance(KEYS_WAIT_MS);
  assertMatches(await merchantByKey(test.keys.secret), { livemode: false });
  assert.equal(await merchantByKey(first.secret), "replaced");
});

test("a repetition answers with the keys of the environment that they were made for", async () => {
  const { merchants, replaceKeys } = await withShop();
  const one = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  await merchants.patch(grant(), "shop", { environment: "LIVE" });
  const again = made(await replaceKeys(grant(), "shop", newKeys("op-1")));
  assert.deepEqual([again.environment, again.keys], ["TEST", one.keys]);
});
