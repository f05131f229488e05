import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { INTENT_ATTEMPTS_MAX } from "../../../engine/intents/intent.ts";
import { settle } from "../world.ts";
import { IntentWorld, intentOrder, OWNER, operation } from "./world.ts";

const HOUR_MS = 3_600_000;
const UNREAD = { resultCode: "GW_30401", description: "The signature does not match" };
const ALL = { amountMinor: null, reason: null, metadata: {} } as const;

describe("an intent", () => {
  it("is created once per operation, and found only by its owner and its token", async () => {
    const world = new IntentWorld();
    const one = await world.intents.create(OWNER, intentOrder(), operation("a"));
    assert.deepEqual(await world.intents.create(OWNER, intentOrder(), operation("a")), one);
    assert.match(one.id, /^pi_[a-z0-9]{24}$/);
    assert.match(one.clientSecret, new RegExp(`^${one.id}_secret_[0-9a-f]{32}$`));
    assert.deepEqual(await world.intents.byToken(one.token), one);
    assert.equal(await world.intents.byToken(`${one.token.slice(0, -1)}${one.token.endsWith("0") ? "1" : "0"}`), null);
    assert.equal(await world.intents.find({ ...OWNER, merchantId: "M2" }, one.id), null);
    assert.equal(await world.intents.find({ ...OWNER, livemode: true }, one.id), null);
    assert.equal(await world.intents.find(OWNER, "pi_x/../y"), null);
    assert.deepEqual(await world.told(one.id), ["payment_intent.created"]);
    const [event] = await world.events(one.id);
    assert.deepEqual(event?.request, { id: "req_a", idempotencyKey: "key-a" });
  });

  it("is paid by its attempt, and reports its events in order", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    assert.equal(await world.status(id), "requires_action");
    const link = await world.link(txId);
    assert.equal(link.order.owner, "merchant:M1");
    assert.deepEqual([link.order.shop, link.order.merchantId], ["M1", "G1"], "the merchant that asked, and its gateway account");
    assert.equal(link.order.returnUrl, `https://relay.example/pay/return/${(await world.intent(id)).token}`);
    world.gateway.pay(txId, { amountMinor: 1_200, currency: "EUR" });
    await world.pass(6 * 60_000);
    assert.equal(await world.status(id), "succeeded");
    assert.equal((await world.intent(id)).attempts[0]?.paid?.amountMinor, 1_200, "what was paid counts");
    assert.deepEqual(await world.told(id), [
      "payment_intent.created",
      "payment_intent.requires_action",
      "charge.succeeded",
      "payment_intent.succeeded",
    ]);
    const events = await world.events(id);
    assert.deepEqual(
      events.map(({ sequence }) => sequence),
      [1, 2, 3, 4],
    );
    assert.deepEqual(events.at(-1)?.request, { id: null, idempotencyKey: null });
    assert.deepEqual(events.at(-1)?.data.object, { id, status: "succeeded" });
    assert.deepEqual(world.failures, []);
  });

  it("changes its payment conditions only while nobody may be paying", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    const update = (change: Parameters<typeof intentOrder>[0]) => world.intents.update(OWNER, id, change ?? {}, world.next());
    assert.equal((await update({ amountMinor: 500 }))?.type, "updated");
    await world.intents.confirm(OWNER, id, {}, world.next());
    assert.equal((await update({ amountMinor: 600 }))?.type, "unexpected");
    assert.equal((await update({ description: "Order 8", amountMinor: 500 }))?.type, "updated");
    assert.equal((await world.intent(id)).order.description, "Order 8");
    assert.equal(await world.intents.update({ ...OWNER, merchantId: "M2" }, id, { amountMinor: 1 }, world.next()), null);
  });
});

describe("a confirm", () => {
  it("needs a return address, its own or the intent's", async () => {
    const world = new IntentWorld();
    const { id } = await world.create({ returnUrl: null });
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "no_return_url");
    const confirmed = await world.intents.confirm(OWNER, id, { returnUrl: "https://shop.example/b" }, world.next());
    assert.equal(confirmed?.type, "confirmed");
    assert.equal((await world.intent(id)).order.returnUrl, "https://shop.example/b");
  });

  it("returns an open attempt, and may change its return address", async () => {
    const world = new IntentWorld();
    const { id } = await world.open();
    const again = await world.intents.confirm(OWNER, id, { returnUrl: "https://shop.example/c" }, world.next());
    assert.equal(again?.type, "confirmed");
    assert.equal(again?.intent.attempts.length, 1);
    assert.equal(again?.intent.order.returnUrl, "https://shop.example/c");
    assert.equal(world.gateway.inits, 1);
  });

  it("starts another attempt after the gateway refused", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    assert.equal(await world.status(id), "requires_payment_method");
    const confirmed = await world.intents.confirm(OWNER, id, {}, world.next());
    assert.equal(confirmed?.type, "confirmed");
    assert.deepEqual(
      (await world.intent(id)).attempts.map(({ txId, state }) => [txId, state]),
      [
        [`${id}.1`, "failed"],
        [`${id}.2`, "open"],
      ],
    );
    assert.deepEqual((await world.told(id)).slice(2), ["charge.failed", "payment_intent.payment_failed", "payment_intent.requires_action"]);
  });

  it("is declined if the gateway refuses, and can be repeated", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    world.gateway.refuses = { resultCode: "GW_30001", description: "no such account" };
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "declined");
    world.gateway.refuses = null;
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "confirmed");
  });

  it("is unavailable if its response was lost, and continues with the same link when it is repeated", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    world.gateway.mode = "lost";
    assert.equal((await world.intents.confirm(OWNER, id, {}, operation("c")))?.type, "unavailable");
    assert.equal(await world.status(id), "processing");
    world.gateway.mode = "there";
    assert.equal((await world.intents.confirm(OWNER, id, {}, operation("c")))?.type, "confirmed");
    assert.equal(world.gateway.payments.size, 1);
    assert.equal(await world.status(id), "requires_action");
  });

  it("sends an init that never reached the gateway again, under the same id", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    world.gateway.mode = "away";
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unavailable");
    world.gateway.mode = "there";
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "confirmed");
    assert.deepEqual([...world.gateway.payments.keys()], [`${id}.1`]);
  });

  it("waits for the gateway's confirmation after an hour without a payment", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.pass(HOUR_MS + 10_000);
    assert.equal(await world.status(id), "requires_payment_method");
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unsettled", "the gateway still has it as payable");
    world.gateway.mode = "away";
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unsettled");
    world.gateway.mode = "there";
    world.fail(txId, "GW_20002");
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "confirmed");
    assert.equal((await world.intent(id)).attempts.length, 2);
  });

  it("finds a payment of the last moment after an hour", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.pass(HOUR_MS + 10_000);
    world.gateway.pay(txId);
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unexpected");
    assert.equal(await world.status(id), "succeeded");
  });

  it("creates one attempt if two nodes confirm concurrently", async () => {
    for (let round = 0; round < 20; round += 1) {
      const world = new IntentWorld(2);
      const { id } = await world.create();
      const outcomes = await Promise.all([0, 1].map((index) => world.shard(index).intents.confirm(OWNER, id, {}, operation(`c${index}`))));
      for (const outcome of outcomes) assert.ok(outcome?.type === "confirmed" || outcome?.type === "unavailable", outcome?.type);
      assert.equal((await world.intent(id)).attempts.length, 1);
      assert.equal(world.gateway.payments.size, 1);
      assert.equal(await world.status(id), "requires_action");
    }
  });

  it("is rejected at the limit of attempts, and without an account", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    world.gateway.refuses = { resultCode: "GW_30001", description: "no" };
    for (let n = 0; n < INTENT_ATTEMPTS_MAX; n += 1) {
      assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "declined");
    }
    world.gateway.refuses = null;
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unexpected");
    assert.equal((await world.intent(id)).attempts.length, INTENT_ATTEMPTS_MAX);
    world.hasAccount = false;
    const other = await world.create();
    assert.equal((await world.intents.confirm(OWNER, other.id, {}, world.next()))?.type, "no_account");
    assert.equal(await world.shard(0).links.byTxId(`${other.id}.1`), null);
  });
});

describe("a cancel", () => {
  it("excludes a concurrent confirm if there is no attempt", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 40; round += 1) {
      const world = new IntentWorld(2);
      const { id } = await world.create();
      const confirm = () => world.shard(0).intents.confirm(OWNER, id, {}, operation("c"));
      const cancel = () => world.shard(1).intents.cancel(OWNER, id, null, operation("x"));
      const late = async (work: () => Promise<{ type: string } | null>, turns: number) => {
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        return work();
      };
      const [confirmed, canceled] = await Promise.all([late(confirm, round), late(cancel, 20)]);
      await settle();
      assert.equal(canceled?.type, "canceled");
      assert.equal(await world.status(id), "canceled");
      const link = await world.shard(0).links.byTxId(`${id}.1`);
      assert.ok(link === null || link.revoked === true, "nothing payable remains");
      seen.add(`${confirmed?.type}, ${link === null ? "no link" : "revoked"}`);
    }
    assert.ok(seen.has("unexpected, no link"), [...seen].join("; "));
    assert.ok(seen.size > 1, "the race always went one way");
  });

  it("revokes an open attempt, and reverses a later payment once", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    const canceled = await world.intents.cancel(OWNER, id, "abandoned", operation("x"));
    assert.equal(canceled?.type, "canceled");
    assert.equal((await world.intents.cancel(OWNER, id, "abandoned", operation("x")))?.type, "canceled", "the same request again");
    assert.equal((await world.intents.cancel(OWNER, id, null, operation("y")))?.type, "unexpected");
    assert.equal((await world.intents.confirm(OWNER, id, {}, world.next()))?.type, "unexpected");
    world.gateway.pay(txId);
    await world.pass(90_000);
    const link = await world.link(txId);
    assert.deepEqual([link.state, link.late, link.reversalOwed?.state], ["success", true, "done"]);
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.equal(await world.status(id), "canceled");
    await world.pass(HOUR_MS);
    assert.equal(world.gateway.executed.size, 1);
    assert.equal(world.kv.keys("a/link_reversal/").length, 1);
    assert.deepEqual((await world.told(id)).slice(2), ["charge.failed", "payment_intent.canceled"], "and nothing of what came after");
    assert.equal((await world.intent(id)).attempts[0]?.unwanted, true);
  });

  it("is rejected after a payment", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    world.gateway.pay(txId);
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "unexpected");
    assert.equal(await world.status(id), "succeeded");
    assert.equal(world.gateway.executed.size, 0);
  });

  it("changes nothing while the gateway is unavailable", async () => {
    const world = new IntentWorld();
    const { id } = await world.open();
    world.gateway.mode = "away";
    world.clock.advance(1_000);
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "unavailable");
    assert.equal(await world.status(id), "requires_action");
    world.gateway.mode = "there";
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "canceled");
  });

  it("reverses a late payment of an attempt whose init was lost in transit", async () => {
    const world = new IntentWorld();
    const { id } = await world.create();
    const txId = `${id}.1`;
    world.gateway.mode = "away";
    await world.intents.confirm(OWNER, id, {}, world.next());
    world.gateway.mode = "there";
    world.clock.advance(1_000);
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "canceled");
    const { order } = await world.link(txId);
    await world.gateway.init({ terminalId: "T", merchantId: "G1", secret: "s" }, { ...order, description: "", notifyUrl: "" });
    world.gateway.pay(txId);
    await world.pass(HOUR_MS);
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.equal(await world.status(id), "canceled");
  });

  it("decides against a concurrent payment: it is either paid, or canceled and reversed", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 30; round += 1) {
      const world = new IntentWorld(2);
      const { id, txId } = await world.open();
      const canceling = world.shard(1).intents.cancel(OWNER, id, null, operation("x"));
      for (let turn = 0; turn < round; turn += 1) await Promise.resolve();
      world.gateway.pay(txId);
      await world.shard(0).links.notified({ merId: "G1", txId, paymentId: null }, "right");
      const canceled = await canceling;
      await world.pass(HOUR_MS / 10);
      const status = await world.status(id);
      seen.add(status);
      assert.equal(canceled?.type, status === "canceled" ? "canceled" : "unexpected");
      assert.equal(world.gateway.executed.size, status === "canceled" ? 1 : 0);
    }
    assert.deepEqual([...seen].sort(), ["canceled", "succeeded"]);
  });

  it("reverses an authorized payment, and keeps it after a lost response until the gateway reports", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual" });
    assert.equal(await world.status(id), "requires_capture");
    world.gateway.mode = "lost";
    assert.equal((await world.intents.cancel(OWNER, id, "fraudulent", operation("x")))?.type, "unavailable");
    assert.equal(await world.status(id), "requires_capture");
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "unsettled");
    world.gateway.mode = "there";
    await world.pass(70_000);
    assert.equal(await world.status(id), "canceled");
    assert.equal((await world.intent(id)).cancellation?.reason, "fraudulent");
    assert.equal((await world.intents.cancel(OWNER, id, "fraudulent", operation("x")))?.type, "canceled");
    assert.equal(world.gateway.executed.size, 1);
    assert.deepEqual((await world.told(id)).slice(-2), ["charge.refunded", "payment_intent.canceled"]);
  });

  it("leaves an authorized payment capturable if the gateway refuses", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual" });
    world.gateway.refuses = { resultCode: "GW_30009", description: "not now" };
    const refused = await world.intents.cancel(OWNER, id, null, world.next());
    assert.deepEqual([refused?.type, refused?.type === "refused" && refused.description], ["refused", "not now"]);
    assert.equal((await world.intent(id)).cancellation, null);
    world.gateway.refuses = null;
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "captured");
  });

  it("is repeated with its reason after a refusal without processing, but never while a capture may have been executed", async () => {
    for (const isCaptured of [true, false]) {
      const world = new IntentWorld();
      const { id } = await world.paid({ captureMethod: "manual" });
      const cancel = () => world.intents.cancel(OWNER, id, "abandoned", operation("x"));
      world.gateway.refuses = UNREAD;
      assert.equal((await cancel())?.type, "refused");
      world.gateway.refuses = null;
      if (isCaptured) {
        world.gateway.mode = "lost";
        assert.equal((await world.intents.capture(OWNER, id, null, operation("k")))?.type, "unavailable");
        world.gateway.mode = "there";
        assert.equal((await cancel())?.type, "unsettled");
        await world.pass(70_000);
        assert.equal(await world.status(id), "succeeded");
      } else {
        assert.equal((await cancel())?.type, "canceled");
        assert.equal((await cancel())?.type, "canceled", "the same request again");
        assert.equal((await world.intent(id)).cancellation?.reason, "abandoned");
      }
      assert.deepEqual(
        [...world.gateway.executed.values()].map(({ operation: kind }) => kind),
        [isCaptured ? "capture" : "reversal"],
      );
    }
  });
});

describe("a capture", () => {
  it("takes a partial amount once, and releases the rest", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual" });
    assert.equal((await world.intents.capture(OWNER, id, 2_000, world.next()))?.type, "too_much");
    assert.equal((await world.intents.capture(OWNER, id, 1_000, operation("k")))?.type, "captured");
    assert.equal((await world.intents.capture(OWNER, id, 1_000, operation("k")))?.type, "captured", "the same request again");
    assert.equal((await world.intents.capture(OWNER, id, 100, world.next()))?.type, "already_captured");
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "unexpected");
    assert.equal(world.gateway.executed.size, 1);
    assert.deepEqual((await world.told(id)).slice(2), [
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "charge.captured",
      "payment_intent.succeeded",
    ]);
    const refunded = await world.intents.refund(OWNER, { intentId: id }, ALL, world.next());
    assert.equal(refunded?.type, "refunded");
    assert.equal([...world.gateway.executed.values()].at(-1)?.amount, "10.00", "what was taken is what is given back");
  });

  it("shows in its event that the charge of a payment is disputed", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.paid({ captureMethod: "manual" });
    world.disputed.add(txId);
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "captured");
    const charges = (await world.events(id)).flatMap(({ type, data }) => (type.startsWith("charge.") ? [[type, data.object]] : []));
    const { attempts } = await world.intent(id);
    const charge = { id: attempts[0]?.chargeId, state: "paid", unwanted: false };
    assert.deepEqual(charges, [
      ["charge.succeeded", { ...charge, isDisputed: false }],
      ["charge.captured", { ...charge, isDisputed: true }],
    ]);
  });

  it("learns a lost outcome with the same request, and excludes a cancel until then", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid({ captureMethod: "manual" });
    world.gateway.mode = "lost";
    assert.equal((await world.intents.capture(OWNER, id, null, operation("k")))?.type, "unavailable");
    world.gateway.mode = "there";
    assert.equal((await world.intents.cancel(OWNER, id, null, world.next()))?.type, "unsettled");
    assert.equal((await world.intents.capture(OWNER, id, null, operation("k")))?.type, "captured");
    assert.equal(await world.status(id), "succeeded");
    assert.deepEqual(
      [...world.gateway.executed.values()].map(({ operation: kind }) => kind),
      ["capture"],
    );
  });

  it("is rejected for a payment that is not authorized", async () => {
    const world = new IntentWorld();
    const { id } = await world.open({ captureMethod: "manual" });
    assert.equal((await world.intents.capture(OWNER, id, null, world.next()))?.type, "unexpected");
    const paid = await world.paid();
    assert.equal((await world.intents.capture(OWNER, paid.id, null, world.next()))?.type, "already_captured");
  });
});

describe("a refund", () => {
  it("refunds the whole amount, once per operation", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid();
    const request = { ...ALL, amountMinor: 1_234, metadata: { why: "broken" } };
    const refunded = await world.intents.refund(OWNER, { intentId: id }, request, operation("r"));
    assert.equal(refunded?.type, "refunded");
    const again = await world.intents.refund(OWNER, { intentId: id }, request, operation("r"));
    assert.equal(again?.type, "refunded");
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, world.next()))?.type, "already_refunded");
    assert.equal(world.gateway.executed.size, 1);
    assert.equal(await world.status(id), "succeeded");
    assert.deepEqual((await world.told(id)).slice(-2), ["refund.created", "charge.refunded"]);
    if (refunded?.type !== "refunded") return;
    assert.deepEqual((await world.intents.refundOf(OWNER, refunded.refund.id))?.refund.metadata, { why: "broken" });
    assert.equal(await world.intents.refundOf({ ...OWNER, merchantId: "M2" }, refunded.refund.id), null);
  });

  it("is rejected for a part, for too much, and for an unpaid intent", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid();
    const refund = (amountMinor: number) => world.intents.refund(OWNER, { intentId: id }, { ...ALL, amountMinor }, world.next());
    assert.deepEqual([(await refund(1))?.type, (await refund(2_000))?.type], ["partial", "too_much"]);
    const open = await world.open();
    assert.equal((await world.intents.refund(OWNER, { intentId: open.id }, ALL, world.next()))?.type, "not_paid");
    assert.equal(world.gateway.executed.size, 0);
    assert.equal(await world.intents.refund(OWNER, { chargeId: "ch_000000000000000000000000" }, ALL, world.next()), null);
  });

  it("is executed once under two concurrent keys", async () => {
    for (let round = 0; round < 20; round += 1) {
      const world = new IntentWorld(2);
      const { id } = await world.paid();
      const outcomes = await Promise.all(
        [0, 1].map(async (index) => {
          for (let turn = 0; turn < index * round * 3; turn += 1) await Promise.resolve();
          return world.shard(index).intents.refund(OWNER, { intentId: id }, ALL, operation(`r${index}`));
        }),
      );
      const types = outcomes.map((outcome) => outcome?.type).sort();
      assert.ok(types.includes("refunded"), types.join());
      assert.ok(types.includes("already_refunded") || types.includes("unsettled"), types.join());
      assert.equal(world.gateway.executed.size, 1);
      assert.equal((await world.told(id)).filter((type) => type === "refund.created").length, 1);
    }
  });

  it("is pending after a lost response, and is reported when the outcome is known", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid();
    world.gateway.mode = "lost";
    const pending = await world.intents.refund(OWNER, { intentId: id }, ALL, operation("r"));
    assert.equal(pending?.type, "refunded");
    if (pending?.type === "refunded") assert.equal(pending.attempt.followUps[0]?.state, "requested");
    assert.deepEqual((await world.told(id)).slice(-1), ["refund.created"]);
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, operation("s")))?.type, "unsettled");
    world.gateway.mode = "there";
    await world.pass(70_000);
    assert.deepEqual((await world.told(id)).slice(-3), ["refund.created", "refund.updated", "charge.refunded"]);
    assert.equal(world.gateway.executed.size, 1);
  });

  it("is reported as failed if the gateway refuses after its response was lost", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid();
    world.gateway.mode = "away";
    await world.intents.refund(OWNER, { intentId: id }, ALL, operation("r"));
    world.gateway.mode = "there";
    world.gateway.refuses = { resultCode: "GW_30009", description: "too old" };
    world.clock.advance(1_000);
    const refused = await world.intents.refund(OWNER, { intentId: id }, ALL, operation("r"));
    assert.equal(refused?.type, "refused");
    assert.deepEqual((await world.told(id)).slice(-2), ["refund.created", "refund.failed"]);
    world.gateway.refuses = null;
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, operation("t")))?.type, "refunded");
  });

  it("does not exist if the gateway refuses immediately", async () => {
    const world = new IntentWorld();
    const { id } = await world.paid();
    world.gateway.refuses = { resultCode: "GW_30009", description: "too old" };
    assert.equal((await world.intents.refund(OWNER, { intentId: id }, ALL, operation("r")))?.type, "refused");
    const query = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null, intentId: id, chargeId: null };
    assert.deepEqual(await world.intents.listRefunds(OWNER, query), { items: [], hasMore: false });
    assert.equal((await world.told(id)).at(-1), "payment_intent.succeeded");
  });
});

describe("a second payment", () => {
  it("is reversed and flagged, and the first one stays", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    await world.intents.confirm(OWNER, id, {}, world.next());
    world.gateway.pay(`${id}.2`);
    await world.verified(`${id}.2`);
    assert.equal(await world.status(id), "succeeded");
    world.gateway.pay(txId);
    world.clock.advance(61_000);
    await world.shard(0).links.verify(txId);
    await world.pass(5_000);
    assert.deepEqual([...world.gateway.executed.keys()], [`${txId}.r`]);
    assert.equal((await world.link(txId)).reversalOwed?.state, "done");
    assert.equal((await world.link(`${id}.2`)).reversalOwed, undefined);
    assert.equal(world.kv.keys("a/link_reversal/").length, 1);
    assert.equal(await world.status(id), "succeeded");
    assert.equal((await world.told(id)).filter((type) => type === "charge.succeeded").length, 1);
    assert.deepEqual(world.failures, []);
  });

  it("counts if it belongs to an earlier attempt, and the open later attempt is reversed", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    world.fail(txId);
    await world.verified(txId);
    await world.intents.confirm(OWNER, id, {}, world.next());
    world.gateway.pay(txId);
    await world.verified(txId);
    assert.equal(await world.status(id), "succeeded");
    world.gateway.pay(`${id}.2`);
    await world.pass(6 * 60_000);
    assert.deepEqual([...world.gateway.executed.keys()], [`${id}.2.r`]);
  });

  it("is reversed exactly once, however often the gateway is unavailable or its response is lost", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.intents.cancel(OWNER, id, null, world.next());
    world.gateway.pay(txId);
    await world.verified(txId);
    world.gateway.mode = "away";
    await world.pass(5 * 60_000);
    world.gateway.mode = "lost";
    await world.pass(10 * 60_000);
    assert.equal(world.gateway.executed.size, 1);
    assert.notEqual((await world.link(txId)).reversalOwed?.state, "done");
    world.gateway.mode = "there";
    await world.pass(30 * 60_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "done");
    assert.equal(world.gateway.executed.size, 1);
  });

  it("is left to operators if the gateway refuses its reversal", async () => {
    const world = new IntentWorld();
    const { id, txId } = await world.open();
    await world.intents.cancel(OWNER, id, null, world.next());
    world.gateway.pay(txId);
    world.gateway.refuses = { resultCode: "GW_30009", description: "no" };
    await world.pass(60_000);
    assert.equal((await world.link(txId)).reversalOwed?.state, "refused");
    const [key] = world.kv.keys("a/link_reversal/");
    assert.match((await world.kv.get(key ?? ""))?.value ?? "", /refund it manually/);
  });
});
