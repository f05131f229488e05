import assert from "node:assert/strict";
import { test } from "node:test";
import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { WRONG_KEYS_PER_SECOND, withoutGuesses } from "../../../http/auth/key-guesses.ts";

const SHOP: MerchantGrant = {
  merchantId: "SHOP",
  partnerId: 7,
  livemode: false,
  kind: "secret",
  keyId: "key-1",
  requestsPerMinute: 100,
  services: ["IGFS"],
};

function world() {
  const state = { nowMs: 0, reads: 0 };
  const keys = new Map<string, MerchantGrant | "replaced">([
    ["right", SHOP],
    ["old", "replaced"],
  ]);
  const find = withoutGuesses(
    async (key) => {
      state.reads += 1;
      if (key === "away") throw new RelayError("unavailable", "The store cannot answer");
      return keys.get(key) ?? null;
    },
    () => state.nowMs,
  );
  const told = (key: string, ipAddress = "192.0.2.1") =>
    find(key, ipAddress).then(
      (found) => (found === null ? "none" : found === "replaced" ? "replaced" : found.merchantId),
      (error: unknown) => (error instanceof RelayError ? `${error.code} ${error.retryAfterSeconds ?? ""}`.trim() : "another error"),
    );
  async function guess(times: number, ipAddress?: string): Promise<void> {
    for (let n = 0; n < times; n += 1) assert.equal(await told(`guess${n}`, ipAddress), "none");
  }
  return { state, keys, told, guess };
}

test("so many wrong keys of an address are looked up in a second, old ones among them, and no more", async () => {
  const { state, told, guess } = world();
  assert.equal(await told("old"), "replaced");
  await guess(WRONG_KEYS_PER_SECOND - 1);
  assert.equal(await told("one more"), "rate_limited 1");
  assert.equal(state.reads, WRONG_KEYS_PER_SECOND);
  assert.equal(await told("one more", "192.0.2.2"), "none", "another address");
  state.nowMs += 1_000 / WRONG_KEYS_PER_SECOND;
  assert.equal(await told("one more"), "none");
  assert.equal(await told("one more"), "rate_limited 1");
});

test("any number of right keys is looked up, and one that was right also while its address is held back", async () => {
  const { state, keys, told, guess } = world();
  for (let n = 0; n < 100; n += 1) assert.equal(await told("right"), "SHOP");
  await guess(WRONG_KEYS_PER_SECOND);
  assert.equal(await told("right"), "SHOP");
  keys.delete("right");
  assert.equal(await told("right"), "none");
  assert.equal(await told("right"), "rate_limited 1", "it is not right any more");
  state.nowMs += 10_000;
  assert.equal(await told("right"), "none");
});

test("of many at once all are counted, and the wait for them ends after a minute", async () => {
  const { state, told } = world();
  const all = await Promise.all(Array.from({ length: 5_000 }, (_, n) => told(`guess${n}`)));
  assert.ok(all.every((outcome) => outcome === "none"));
  assert.match(await told("one more"), /^rate_limited (59|60)$/);
  state.nowMs += 30_000;
  assert.match(await told("one more"), /^rate_limited (29|30)$/);
  state.nowMs += 30_000;
  assert.equal(await told("one more"), "none");
});

test("IPv6 addresses count by their network, and what the store could not say is no wrong key", async () => {
  const { told, guess } = world();
  for (let n = 0; n < 100; n += 1) assert.equal(await told("away"), "unavailable");
  await guess(WRONG_KEYS_PER_SECOND, "2001:db8::1");
  assert.equal(await told("one more", "2001:db8::2"), "rate_limited 1");
  assert.equal(await told("one more", "2001:db8:0:1::1"), "none");
});
