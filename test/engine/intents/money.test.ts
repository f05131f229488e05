import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { LINKS } from "../../../engine/links/link-store.ts";
import { IntentWorld, OWNER, operation } from "./world.ts";

const HOUR_MS = 3_600_000;
const ALL = { amountMinor: null, reason: null, metadata: {} } as const;

describe("a payment of an earlier order", () => {
  /** Returns an intent that has expired while the buyer is still on the gateway's page. */
  async function expired(captureMethod: "automatic" | "manual" = "automatic"): Promise<{ world: IntentWorld; id: string; txId: string }> {
    const world = new IntentWorld();
    const { id, txId } = await world.open({ amountMinor: 1_000, captureMethod });
    world.clock.advance(HOUR_MS + 1_000);
    await world.verified(txId);
    assert.equal(await world.status(id), "requires_payment_method");
    return { world, id, txId };
  }

  it("is reversed, so nobody gets goods for five thousand by paying ten", async () => {
    const { world, id, txId } = await expired();
    assert.equal((await world.intents.update(OWNER, id, { amountMinor: 500_000 }, world.next()))?.type, "updated");
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "requires_payment_method");
    assert.equal((await world.told(id)).includes("payment_intent.succeeded"), false);
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.deepEqual(world.failures, []);
  });

  it("blocks no other attempt at the current order", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { amountMinor: 500_000 }, world.next());
    world.gateway.pay(txId);
    const confirmed = await world.intents.confirm(OWNER, id, {}, world.next());
    assert.equal(confirmed?.type, "confirmed");
    world.gateway.pay(`${id}.2`);
    await world.verified(`${id}.2`);
    await world.pass(60_000);
    assert.equal(await world.status(id), "succeeded");
    assert.deepEqual(
      [...world.kept()],
      [
        [txId, 0],
        [`${id}.2`, 1],
      ],
    );
  });

  it("is reversed if the order changed to an authorization only", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { captureMethod: "manual" }, world.next());
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "requires_payment_method");
    assert.deepEqual([...world.kept()], [[txId, 0]]);
  });

  it("counts if the order has its first amount again, and if only the description changed", async () => {
    const { world, id, txId } = await expired();
    await world.intents.update(OWNER, id, { amountMinor: 2_000, description: "Other words" }, world.next());
    await world.intents.update(OWNER, id, { amountMinor: 1_000, captureMethod: "automatic_async" }, world.next());
    world.gateway.pay(txId);
    await world.pass(120_000);
    assert.equal(await world.status(id), "succeeded");
    assert.equal(world.gateway.executed.size, 0);
  });
});

describe("unwanted money", () => {
  it("is reversed although the gateway did not know the relay at first", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.intents.cancel(OWNER, id, null, world.next());
    world.gateway.pay(txId);
    world.gateway.refuses = { resultCode: "GW_30401", description: "The signature does not match" };
    await world.pass(120_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "owed", "nobody has looked at it");
    world.gateway.refuses = null;
    await world.pass(600_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "done");
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.deepEqual(world.failures, []);
  });
});

describe("a payment with the maximum number of operations", () => {
  async function full(captureMethod: "automatic" | "manual"): Promise<{ world: IntentWorld; id: string }> {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod });
    world.gateway.refuses = { resultCode: "GW_30009", description: "no" };
    for (let count = 0; count < 32; count += 1) {
      if (captureMethod === "manual") await world.intents.capture(OWNER, id, null, world.next());
      else await world.intents.refund(OWNER, { intentId: id }, ALL, world.next());
    }
    world.gateway.refuses = null;
    return { world, id };
  }

  it("rejects a capture and a release permanently, so that clients stop retrying", async () => {
    const { world, id } = await full("manual");
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "refused");
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "refused");
    assert.equal(await world.status(id), "requires_capture");
  });

  it("rejects a refund", async () => {
    const { world, id } = await full("automatic");
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, world.next()))?.type, "refused");
  });
});

describe("a payment whose link has expired", () => {
  async function gone(captureMethod: "automatic" | "manual"): Promise<{ world: IntentWorld; id: string }> {
    const world = new IntentWorld();
    const { id, txId } = await world.paid({ captureMethod });
    await world.kv.commit({ checks: [], operations: [{ type: "delete", key: LINKS + txId }] });
    return { world, id };
  }

  it("rejects a refund, a capture and a release", async () => {
    const paid = await gone("automatic");
    assert.equal((await paid.world.intents.refund(OWNER, { intentId: paid.id }, ALL, paid.world.next()))?.type, "refused");
    const authorized = await gone("manual");
    assert.equal((await authorized.world.intents.capture(OWNER, authorized.id, null, authorized.world.next()))?.type, "refused");
    assert.equal((await authorized.world.intents.cancel(OWNER, authorized.id, null, authorized.world.next()))?.type, "refused");
  });
});

describe("a payment in another currency", () => {
  it("allows only a complete capture, because a partial amount is in the currency of the order", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open({ captureMethod: "manual" });
    world.gateway.pay(txId, { amountMinor: 200_000, currency: "JPY" });
    await world.verified(txId);
    assert.equal((await world.intents.capture(OWNER, id, 1_234, world.next()))?.type, "too_much");
    assert.equal((await world.intents.capture(OWNER, id, null, operation("c")))?.type, "captured");
    assert.deepEqual(
      [...world.gateway.executed.values()].map(({ amount, currency }) => [amount, currency]),
      [["200000", "JPY"]],
    );
  });
});
