import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { createAdministerMerchants } from "../../../engine/partners/administer-merchants.ts";
import { MERCHANTS_PER_PARTNER_MAX } from "../../../engine/partners/merchant.ts";
import type { CreateOutcome } from "../../../engine/partners/merchants.ts";
import { assertMatches } from "../../support/http/matches.ts";
import { grant, merchantWorld, newKeys, storedText } from "./merchant-world.ts";

const created = (outcome: CreateOutcome) => {
  assert.equal(outcome.type, "created");
  if (outcome.type !== "created") throw new Error("not created");
  return outcome;
};

test("creates a merchant with keys of which digests are stored, and what is shown of them", async () => {
  const { merchants, kv, clock } = merchantWorld();
  const { merchant, keys } = created(await merchants.create(grant(), { merchantId: "shop-1" }, "op-1"));
  assertMatches(merchant, {
    merchantId: "shop-1",
    merchantName: "shop-1",
    environment: "TEST",
    active: true,
    partnerId: 7,
    createdAtMs: clock.nowMs(),
  });
  assert.match(keys.publishable, /^pk_merchant_/);
  assert.match(keys.secret, /^sk_merchant_/);
  const stored = await storedText(kv);
  assert.equal(stored.includes(keys.secret), false);
  assert.deepEqual(merchant.shownKeys, { publishable: keys.publishable, secretPrefix: "sk_merchant_0000", madeAtMs: clock.nowMs() });
});

test("an id is taken by whoever has it, and stays taken after deactivation", async () => {
  const { merchants } = merchantWorld();
  await merchants.create(grant(), { merchantId: "shop-1" }, "op-1");
  assert.deepEqual(await merchants.create(grant(), { merchantId: "shop-1" }, "op-2"), { type: "taken" });
  assert.deepEqual(await merchants.create(grant({ partnerId: 8 }), { merchantId: "shop-1" }, "op-3"), { type: "taken" });
  await merchants.patch(grant(), "shop-1", { active: false });
  assert.deepEqual(await merchants.create(grant(), { merchantId: "shop-1" }, "op-4"), { type: "taken" });
});

test("the same operation again answers with the same merchant and keys that work", async () => {
  const { merchants, merchantByKey } = merchantWorld();
  const first = created(await merchants.create(grant(), { merchantId: "shop-1" }, "op-1"));
  const again = created(await merchants.create(grant(), { merchantId: "shop-1" }, "op-1"));
  assert.equal(again.merchant.createdAtMs, first.merchant.createdAtMs);
  assert.equal(await merchantByKey(first.keys.secret), null);
  assertMatches(await merchantByKey(again.keys.secret), { merchantId: "shop-1", kind: "secret" });
  assert.equal((await merchants.list(grant(), { after: "", limit: 10, status: null })).total, 1);
});

test("refuses ids and names that cannot be one", async () => {
  const { merchants } = merchantWorld();
  for (const merchantId of ["", "a b", "../x", ".", "..", "-", "a".repeat(65), "è", "a/b"]) {
    await assert.rejects(async () => merchants.create(grant(), { merchantId }, "op"), { code: "invalid_request" }, merchantId);
  }
  for (const merchantName of ["", "  ", "a\nb", "a\u0000", "\ud800", "a\u2028b", "n".repeat(129)]) {
    await assert.rejects(async () => merchants.create(grant(), { merchantId: "shop", merchantName }, "op"), /merchantName/);
  }
  assert.equal((await merchants.list(grant(), { after: "", limit: 10, status: null })).total, 0);
});

test("no more than maxMerchants are active; a deactivated one makes room, and activating it needs room again", async () => {
  const { merchants } = merchantWorld();
  const partner = grant({ maxMerchants: 2 });
  await merchants.create(partner, { merchantId: "a" }, "op-a");
  await merchants.create(partner, { merchantId: "b" }, "op-b");
  assert.deepEqual(await merchants.create(partner, { merchantId: "c" }, "op-c"), { type: "full", maxMerchants: 2 });
  assertMatches(await merchants.patch(partner, "a", { active: false }), { type: "changed", merchant: { active: false } });
  // Twice is once.
  assertMatches(await merchants.patch(partner, "a", { active: false }), { type: "changed", merchant: { active: false } });
  created(await merchants.create(partner, { merchantId: "c" }, "op-c"));
  assert.deepEqual(await merchants.patch(partner, "a", { active: true }), { type: "full", maxMerchants: 2 });
  await merchants.patch(partner, "b", { active: false });
  assertMatches(await merchants.patch(partner, "a", { active: true }), { type: "changed", merchant: { active: true } });
});

test("of a hundred at once on three shards just those for which there is room are created", async () => {
  const world = merchantWorld();
  const partner = grant({ maxMerchants: 5 });
  for (const merchantId of ["a", "b", "c", "d"]) await world.merchants.create(partner, { merchantId }, `op-${merchantId}`);
  const shards = [world.merchants, world.shard().merchants, world.shard().merchants];
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      (shards[index % 3] ?? world.merchants).create(partner, { merchantId: `m${index}` }, `op${index}`),
    ),
  );
  assert.equal(outcomes.filter(({ type }) => type === "created").length, 1);
  assert.equal(outcomes.filter(({ type }) => type === "full").length, 99);
  const { total, merchants } = await world.merchants.list(partner, { after: "", limit: 100, status: null });
  assert.deepEqual([total, merchants.length], [5, 5]);
});

test("of a hundred with one id on three shards one is created, and counted once", async () => {
  const world = merchantWorld();
  const shards = [world.merchants, world.shard().merchants, world.shard().merchants];
  const outcomes = await Promise.all(
    Array.from({ length: 100 }, (_, index) => (shards[index % 3] ?? world.merchants).create(grant(), { merchantId: "one" }, `op${index}`)),
  );
  assert.equal(outcomes.filter(({ type }) => type === "created").length, 1);
  assert.equal(outcomes.filter(({ type }) => type === "taken").length, 99);
  assert.equal((await world.merchants.list(grant(), { after: "", limit: 1, status: null })).total, 1);
});

test("activating and deactivating at once leaves the count right", async () => {
  const world = merchantWorld();
  const shards = [world.merchants, world.shard().merchants, world.shard().merchants];
  for (const merchantId of ["a", "b", "c"]) await world.merchants.create(grant(), { merchantId }, merchantId);
  await Promise.all(
    Array.from({ length: 90 }, (_, index) =>
      (shards[index % 3] ?? world.merchants).patch(grant(), "abc".charAt(index % 3), { active: index % 2 === 0 }),
    ),
  );
  const active = await world.merchants.list(grant(), { after: "", limit: 10, status: "ACTIVE" });
  const inactive = await world.merchants.list(grant(), { after: "", limit: 10, status: "INACTIVE" });
  assert.equal(active.total, active.merchants.length);
  assert.equal(inactive.total, inactive.merchants.length);
  assert.equal(active.total + inactive.total, 3);
});

test("another partner's merchant is not there for any operation", async () => {
  const { merchants, services, replaceKeys } = merchantWorld();
  const other = grant({ partnerId: 8 });
  await merchants.create(grant(), { merchantId: "shop" }, "op");
  const attempts = [
    () => merchants.find(other, "shop"),
    () => merchants.patch(other, "shop", { merchantName: "mine" }),
    () => merchants.patch(other, "shop", { active: false }),
    () => replaceKeys(other, "shop", newKeys("keys-1")),
    () => services.setEnabled(other, "shop", "PAYPAL", true),
    () => services.configure(other, "shop", "PAYPAL", { mode: "sandbox", clientId: "a", clientSecret: "b" }),
  ];
  for (const attempt of attempts) await assert.rejects(attempt(), { code: "not_found" });
  assert.deepEqual((await merchants.list(other, { after: "", limit: 10, status: null })).merchants, []);
  assertMatches(await merchants.find(grant(), "shop"), { merchantName: "shop", active: true, services: {} });
});

test("lists by id, page by page, by status", async () => {
  const { merchants } = merchantWorld();
  const partner = grant({ maxMerchants: 2_000 });
  await merchants.create(grant({ partnerId: 70 }), { merchantId: "a-of-another" }, "op");
  const ids = Array.from({ length: 7 }, (_, index) => `m-${index}`);
  for (const merchantId of ids) await merchants.create(partner, { merchantId }, merchantId);
  for (const merchantId of ["m-1", "m-4"]) await merchants.patch(partner, merchantId, { active: false });
  const pages = async (status: "ACTIVE" | "INACTIVE" | null) => {
    const seen: string[][] = [];
    for (let after: string | null = ""; after !== null; ) {
      const page = await merchants.list(partner, { after, limit: 2, status });
      assert.equal(page.total, status === null ? 7 : status === "ACTIVE" ? 5 : 2);
      seen.push(page.merchants.map(({ merchantId }) => merchantId));
      after = page.next;
    }
    return seen;
  };
  assert.deepEqual(await pages(null), [["m-0", "m-1"], ["m-2", "m-3"], ["m-4", "m-5"], ["m-6"]]);
  assert.deepEqual(await pages("ACTIVE"), [["m-0", "m-2"], ["m-3", "m-5"], ["m-6"]]);
  assert.deepEqual(await pages("INACTIVE"), [["m-1", "m-4"]]);
});

test("a partner with very many deactivated merchants is refused more of them", async () => {
  const { merchants, kv } = merchantWorld();
  await kv.commit({
    checks: [],
    operations: [{ type: "put", key: "merchant-count/7", value: JSON.stringify({ active: 0, stored: MERCHANTS_PER_PARTNER_MAX }) }],
  });
  assertMatches(await merchants.create(grant(), { merchantId: "one-more" }, "op"), { type: "full" });
});

test("changes name and environment, and not those of a deactivated merchant", async () => {
  const { merchants, clock, replaceKeys } = merchantWorld();
  await merchants.create(grant(), { merchantId: "shop" }, "op");
  clock.advance(1_000);
  assertMatches(await merchants.patch(grant(), "shop", { merchantName: " Shop 1 ", environment: "LIVE" }), {
    type: "changed",
    merchant: { merchantName: "Shop 1", environment: "LIVE", updatedAtMs: clock.nowMs() },
  });
  const at = clock.nowMs();
  clock.advance(1_000);
  assertMatches(await merchants.patch(grant(), "shop", {}), { type: "changed", merchant: { updatedAtMs: at } });
  await merchants.patch(grant(), "shop", { active: false });
  assert.deepEqual(await merchants.patch(grant(), "shop", { merchantName: "x" }), { type: "inactive" });
  assert.deepEqual(await replaceKeys(grant(), "shop", newKeys("keys-1")), { type: "inactive" });
  assertMatches(await merchants.patch(grant(), "shop", { active: true, merchantName: "x" }), {
    type: "changed",
    merchant: { merchantName: "x", active: true },
  });
});

test("an administrator permits calls of a minute, and its partner chooses no more of them", async () => {
  const { merchants, store, clock, merchantByKey } = merchantWorld();
  const administer = createAdministerMerchants({ store, clock });
  const { keys } = created(await merchants.create(grant(), { merchantId: "shop" }, "op"));
  const counts = async () => {
    const found = await merchantByKey(keys.secret);
    return typeof found === "object" ? (found?.requestsPerMinute ?? null) : null;
  };
  assert.equal(await counts(), 100);
  await assert.rejects(merchants.patch(grant(), "shop", { callsPerMinute: 101 }), /compatRequestsPerMinute: may be at most 100/);
  assertMatches(await merchants.patch(grant(), "shop", { callsPerMinute: 40 }), { type: "changed" });
  assert.equal(await counts(), 40);
  await administer.permitCalls("shop", 600);
  assert.equal(await counts(), 40);
  await merchants.patch(grant(), "shop", { callsPerMinute: 600 });
  assert.equal(await counts(), 600);
  await administer.permitCalls("shop", 10);
  assert.equal(await counts(), 10);
  const { version } = (await store.load("shop")) ?? { version: 0 };
  await administer.permitCalls("shop", 10);
  assert.equal((await store.load("shop"))?.version, version, "nothing is written that changes nothing");
  await assert.rejects(merchants.patch(grant(), "shop", { callsPerMinute: 11 }), /at most 10/);
  await merchants.patch(grant(), "shop", { merchantName: "Shop" });
  assert.equal(await counts(), 10);
  for (const id of ["nobody", "not an id"]) await assert.rejects(administer.permitCalls(id, 10), /There is no such merchant/);
  await merchants.patch(grant(), "shop", { active: false });
  assert.deepEqual(await merchants.patch(grant(), "shop", { callsPerMinute: 5 }), { type: "inactive" });
});

test("a store that does not confirm is told as such, and nothing half-done is left", async () => {
  const { merchants, kv } = merchantWorld();
  kv.fate = () => "refused";
  await assert.rejects(merchants.create(grant(), { merchantId: "shop" }, "op"), { code: "unavailable" });
  kv.fate = () => "done";
  await assert.rejects(merchants.find(grant(), "shop"), { code: "not_found" });
  kv.fate = () => "answer lost";
  await assert.rejects(merchants.create(grant(), { merchantId: "shop" }, "op"), { code: "unavailable" });
  kv.fate = () => "done";
  // The repetition under the same id finds what the first attempt had stored.
  created(await merchants.create(grant(), { merchantId: "shop" }, "op"));
  assert.equal((await merchants.list(grant(), { after: "", limit: 10, status: null })).total, 1);
});

test("a merchant that not every shard has heard of is not answered yet; the repetition of its creation is", async () => {
  const { merchants, merchantByKey, fault } = merchantWorld();
  fault.propagate = new RelayError("unavailable", "not confirmed");
  await assert.rejects(merchants.create(grant(), { merchantId: "shop" }, "op"), { code: "unavailable" });
  await assert.rejects(merchants.create(grant(), { merchantId: "shop" }, "op"), { code: "unavailable" });
  fault.propagate = null;
  const { keys } = created(await merchants.create(grant(), { merchantId: "shop" }, "op"));
  assertMatches(await merchantByKey(keys.secret), { merchantId: "shop" });
  assert.equal((await merchants.list(grant(), { after: "", limit: 10, status: null })).total, 1);
});

test("a deactivation that not every shard has heard of is not answered yet; its repetition is, though it changes nothing", async () => {
  const { merchants, fault } = merchantWorld();
  created(await merchants.create(grant(), { merchantId: "shop" }, "op"));
  fault.propagate = new RelayError("unavailable", "not confirmed");
  await assert.rejects(merchants.patch(grant(), "shop", { active: false }), { code: "unavailable" });
  await assert.rejects(merchants.patch(grant(), "shop", { active: false }), { code: "unavailable" });
  fault.propagate = null;
  assertMatches(await merchants.patch(grant(), "shop", { active: false }), { type: "changed", merchant: { active: false } });
});

test("keys speak for their merchant until they are replaced, the merchant is deactivated or its partner disabled", async () => {
  const { merchants, services, merchantByKey, partners, replaceKeys } = merchantWorld();
  const { keys } = created(await merchants.create(grant(), { merchantId: "shop", environment: "LIVE" }, "op"));
  await services.setEnabled(grant(), "shop", "PAYPAL", true);
  await services.setEnabled(grant(), "shop", "SKRILL", true);
  const whole = {
    merchantId: "shop",
    partnerId: 7,
    livemode: true,
    keyId: /^[0-9a-f]{16}$/,
    requestsPerMinute: 100,
    services: ["PAYPAL" as const, "SKRILL" as const],
  };
  assertMatches(await merchantByKey(keys.secret), { ...whole, kind: "secret" });
  assertMatches(await merchantByKey(keys.publishable), { ...whole, kind: "publishable" });
  for (const none of ["", "sk_merchant_0", `${keys.secret}x`, "x".repeat(300)]) assert.equal(await merchantByKey(none), null);
  partners.set(7, ["PAYPAL"]);
  assertMatches(await merchantByKey(keys.secret), { services: ["PAYPAL"] });
  partners.delete(7);
  assert.equal(await merchantByKey(keys.secret), null);
  partners.set(7, ["PAYPAL"]);
  await merchants.patch(grant(), "shop", { active: false });
  assert.equal(await merchantByKey(keys.secret), null);
  await merchants.patch(grant(), "shop", { active: true });
  assertMatches(await merchantByKey(keys.secret), { merchantId: "shop" });
  const replaced = await replaceKeys(grant(), "shop", newKeys("keys-1"));
  assert.equal(replaced.type, "changed");
  if (replaced.type !== "changed") return;
  for (const old of [keys.secret, keys.publishable]) assert.equal(await merchantByKey(old), "replaced");
  assertMatches(await merchantByKey(replaced.keys.secret), { kind: "secret" });
  assertMatches(await merchantByKey(replaced.keys.publishable), { kind: "publishable" });
  await replaceKeys(grant(), "shop", newKeys("keys-2"));
  assert.equal(await merchantByKey(replaced.keys.secret), "replaced");
  for (const old of [keys.secret, keys.publishable]) assert.equal(await merchantByKey(old), null);
});

test("a key stays of its environment when the merchant moves, and a merchant that goes LIVE gets its keys of LIVE by a call", async () => {
  const { merchants, merchantByKey, ownMerchant, store, notices } = merchantWorld();
  const { keys: test } = created(await merchants.create(grant(), { merchantId: "shop" }, "op"));
  const patched = await merchants.patch(grant(), "shop", { environment: "LIVE" });
  assertMatches(patched, { type: "changed", merchant: { environment: "LIVE" } });
  await merchants.patch(grant(), "shop", { environment: "LIVE", merchantName: "Shop" });
  assert.deepEqual(notices, [{ merchantId: "shop", change: { type: "moved", environment: "LIVE" } }]);
  for (const key of [test.secret, test.publishable]) {
    assertMatches(await merchantByKey(key), { livemode: false, otherEnvironment: true });
  }
  const by = { type: "person", email: "mara@example.com" } as const;
  const make = async (environment?: "TEST" | "LIVE") => {
    const outcome = await ownMerchant.replaceKeys("shop", { operationId: crypto.randomUUID(), by, reason: "routine", environment });
    assert.ok(outcome.type === "changed");
    return outcome;
  };
  const { keys: live, environment } = await make();
  assert.equal(environment, "LIVE");
  assertMatches(await merchantByKey(live.secret), { livemode: true, otherEnvironment: undefined });
  assertMatches(await merchantByKey(test.secret), { livemode: false, kind: "secret" });
  const { keys: nextTest } = await make("TEST");
  assert.equal(await merchantByKey(test.secret), "replaced");
  assertMatches(await merchantByKey(nextTest.secret), { livemode: false });
  assertMatches(await merchantByKey(live.secret), { livemode: true });
  const { keys: nextLive } = await make("LIVE");
  assert.equal(await merchantByKey(live.secret), "replaced");
  await merchants.patch(grant(), "shop", { environment: "TEST" });
  assertMatches(await merchantByKey(nextLive.secret), { livemode: true, otherEnvironment: true });
  assertMatches(await merchantByKey(nextTest.secret), { livemode: false, otherEnvironment: undefined });
  assert.notEqual(await store.byKey(createHash("sha256").update(nextLive.secret).digest("hex")), null);
});

test("keys of a record from before they had an environment are those of the one that the merchant is in", async () => {
  for (const environment of ["TEST", "LIVE"] as const) {
    const { merchants, merchantByKey, store } = merchantWorld();
    const { keys } = created(await merchants.create(grant(), { merchantId: "shop", environment }, "op"));
    assert.equal((await store.load("shop"))?.record.keysEnvironment, undefined, "it is stored as before");
    assertMatches(await merchantByKey(keys.secret), { livemode: environment === "LIVE", otherEnvironment: undefined });
    const other = environment === "LIVE" ? "TEST" : "LIVE";
    for (const there of [other, other, environment, other] as const) {
      await merchants.patch(grant(), "shop", { environment: there });
      assertMatches(await merchantByKey(keys.secret), {
        livemode: environment === "LIVE",
        otherEnvironment: there === environment ? undefined : true,
      });
    }
  }
});
