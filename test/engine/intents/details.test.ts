import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { METADATA_KEYS_MAX } from "../../../engine/kernel/metadata.ts";
import { intentObjectsOf } from "../../../http/surfaces/compat/objects.ts";
import { IntentWorld, OWNER, operation } from "./world.ts";

const ALL = { amountMinor: null, reason: null, metadata: {} } as const;
const STRANGER = { ...OWNER, merchantId: "M2" };
const FULL = Object.fromEntries(Array.from({ length: METADATA_KEYS_MAX }, (_, i) => [`k${i}`, "1"]));
const objects = intentObjectsOf((token) => `https://relay.example/pay/i/${token}`);

async function captured(): Promise<{ world: IntentWorld; id: string; chargeId: string }> {
  const world = new IntentWorld();
  const { id } = await world.paid();
  const [attempt] = (await world.intent(id)).attempts;
  assert.ok(attempt !== undefined);
  return { world, id, chargeId: attempt.chargeId };
}

describe("metadata of an intent", () => {
  it("keeps the keys that two concurrent updates set", async () => {
    const world = new IntentWorld();
    const { id } = await world.create({ metadata: { order: "7", old: "1" } });
    const changes = [{ a: "1" }, { b: "2" }, { old: null }];
    const outcomes = await Promise.all(changes.map((metadata) => world.intents.update(OWNER, id, { metadata }, world.next())));
    assert.deepEqual(
      outcomes.map((outcome) => outcome?.type),
      ["updated", "updated", "updated"],
    );
    assert.deepEqual((await world.intent(id)).order.metadata, { order: "7", a: "1", b: "2" });
  });

  it("limits its total number of keys, including keys that another request sets concurrently", async () => {
    const world = new IntentWorld();
    const { id } = await world.create({ metadata: Object.fromEntries(Object.entries(FULL).slice(1)) });
    const changes = [{ a: "1" }, { b: "2" }];
    const outcomes = await Promise.all(changes.map((metadata) => world.intents.update(OWNER, id, { metadata }, world.next())));
    assert.deepEqual(outcomes.map((outcome) => outcome?.type).sort(), ["too_many_keys", "updated"]);
    assert.equal(Object.keys((await world.intent(id)).order.metadata).length, METADATA_KEYS_MAX);
    assert.equal((await world.intents.update(OWNER, id, { metadata: "clear" }, world.next()))?.type, "updated");
    assert.deepEqual((await world.intent(id)).order.metadata, {});
  });

  it("changes once, in the commit that starts a capture", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual", metadata: { order: "7" } });
    const capture = () => world.intents.capture(OWNER, id, null, operation("k"), { a: "1" });
    assert.equal((await capture())?.type, "captured");
    assert.deepEqual((await world.intent(id)).order.metadata, { order: "7", a: "1" });
    await world.intents.update(OWNER, id, { metadata: { a: "2" } }, world.next());
    assert.equal((await capture())?.type, "captured", "the same request again");
    assert.deepEqual((await world.intent(id)).order.metadata, { order: "7", a: "2" });
  });

  it("rejects too many keys before any money is captured", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual", metadata: FULL });
    assert.equal((await world.intents.capture(OWNER, id, null, world.next(), { a: "1" }))?.type, "too_many_keys");
    assert.equal(await world.status(id), "requires_capture");
    assert.equal(world.gateway.executed.size, 0);
    assert.equal((await world.intents.capture(OWNER, id, null, world.next(), { a: "1", k1: null }))?.type, "captured");
  });
});

describe("a charge", () => {
  it("shows the intent's data until it is changed, and then its own, whatever happens to the payment", async () => {
    const { world, id, chargeId } = await captured();
    const shown = async () => {
      const charge = await world.intents.charge(OWNER, chargeId);
      assert.ok(charge !== null);
      const { description, metadata } = objects.charge(charge);
      return { description, metadata };
    };
    await world.intents.update(OWNER, id, { metadata: { order: "7" } }, world.next());
    assert.deepEqual(await shown(), { description: "Order 7", metadata: { order: "7" } });
    const changes = [{ metadata: { a: "1" } }, { metadata: { b: "2" } }, { description: "Mine" }];
    await Promise.all(changes.map((change) => world.intents.updateCharge(OWNER, chargeId, change, world.next())));
    await world.intents.update(OWNER, id, { metadata: { order: "8" }, description: "Order 8" }, world.next());
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, world.next()))?.type, "refunded");
    assert.deepEqual(await shown(), { description: "Mine", metadata: { order: "7", a: "1", b: "2" } });
    assert.deepEqual(await world.told(id), [
      ...["payment_intent.created", "payment_intent.requires_action", "charge.succeeded", "payment_intent.succeeded"],
      ...["refund.created", "charge.refunded"],
    ]);
  });

  it("is visible to its owner only, once its attempt has ended, and has the key limit of an intent", async () => {
    const { world, chargeId } = await captured();
    const change = { metadata: FULL };
    assert.equal(await world.intents.updateCharge(STRANGER, chargeId, change, world.next()), null);
    assert.equal((await world.intents.updateCharge(OWNER, chargeId, change, world.next()))?.type, "updated");
    const more = await world.intents.updateCharge(OWNER, chargeId, { metadata: { a: "1" } }, world.next());
    assert.equal(more?.type, "too_many_keys");
    const { id } = await world.open();
    const [open] = (await world.intent(id)).attempts;
    assert.equal(await world.intents.updateCharge(OWNER, open?.chargeId ?? "", change, world.next()), null);
  });
});

describe("a refund", () => {
  it("changes its metadata key by key, and reports the change", async () => {
    const { world, id } = await captured();
    const refunded = await world.intents.refund(OWNER, { intentId: id }, { ...ALL, metadata: { c: "3" } }, world.next());
    assert.ok(refunded?.type === "refunded");
    const refundId = refunded.refund.id;
    const changes = [{ a: "1" }, { b: "2" }];
    await Promise.all(changes.map((metadata) => world.intents.updateRefund(OWNER, refundId, metadata, world.next())));
    assert.deepEqual((await world.intents.refundOf(OWNER, refundId))?.refund.metadata, { a: "1", b: "2", c: "3" });
    assert.deepEqual((await world.told(id)).slice(-2), ["refund.updated", "refund.updated"]);
    assert.equal((await world.intents.updateRefund(OWNER, refundId, FULL, world.next()))?.type, "too_many_keys");
    assert.equal(await world.intents.updateRefund(STRANGER, refundId, { a: "2" }, world.next()), null);
    assert.equal(await world.intents.updateRefund(OWNER, "re_none", { a: "2" }, world.next()), null);
    assert.deepEqual((await world.told(id)).slice(-2), ["refund.updated", "refund.updated"]);
  });
});
