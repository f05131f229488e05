import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { LinkRecord } from "../../../engine/links/link.ts";
import { createPaymentEvents } from "../../../engine/links/payment-events.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { eventOperations } from "../../../engine/webhooks/webhook-event-store.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { followUp, link, NOW_MS } from "./machine-world.ts";

const SHOP = { order: { shop: "SHOP-001" } };

/** The events that a step of a link tells. */
async function toldBy(before: LinkRecord | null, record: LinkRecord): Promise<WebhookEvent[]> {
  const told: WebhookEvent[] = [];
  const companion = createPaymentEvents({
    merchantOf: async (id) => (id === "SHOP-001" ? { partnerId: 7, livemode: true } : null),
    eventOperations: (events) => {
      told.push(...events);
      return eventOperations(events);
    },
    digest: sha256Hex,
  });
  const beside = await companion({ record, before, version: 1, rows: [], attention: [], settled: [], atMs: NOW_MS }, null);
  assert.ok(beside !== "refused");
  assert.deepEqual(beside.checks, []);
  assert.equal(beside.operations.length, told.length * 3);
  return told;
}

const namesOf = (events: readonly WebhookEvent[]) => events.map(({ type, sequence }) => `${type} ${sequence}`);
const waiting = link("waiting", SHOP);
const success = link("success", SHOP);

describe("what a merchant is told of its payments by link", () => {
  it("each end once, with a place of its own, however the steps come", async () => {
    const steps: [what: string, before: LinkRecord | null, after: LinkRecord, told: string[]][] = [
      ["paid", waiting, success, ["payment.succeeded 2"]],
      ["refused", waiting, link("failed", SHOP), ["payment.failed 1"]],
      ["not paid in time", link("watching", SHOP), link("expired", SHOP), ["payment.failed 1"]],
      ["revoked", waiting, link("failed", { ...SHOP, revoked: true }), ["payment.failed 1"]],
      ["paid late", link("expired", SHOP), { ...success, late: true }, ["payment.succeeded 2"]],
      ["verified again", success, { ...success, verifiedAtMs: NOW_MS }, []],
      ["ended again", link("expired", SHOP), link("failed", SHOP), []],
      ["on its way", link("created", SHOP), waiting, []],
      ["never at the gateway", link("created", SHOP), link("failed", { ...SHOP, paymentId: null, paymentUrl: null }), []],
      ["refund asked for", success, { ...success, followUps: [followUp({ type: "refund", state: "requested" })] }, []],
      ["refund refused", success, { ...success, followUps: [followUp({ type: "refund", state: "refused" })] }, []],
      ["captured", success, { ...success, followUps: [followUp({ type: "capture" })] }, []],
      [
        "refunded",
        { ...success, followUps: [followUp({ type: "refund", state: "requested" })] },
        { ...success, followUps: [followUp({ type: "refund" })] },
        ["payment.refunded 3"],
      ],
      ["reversed", success, { ...success, followUps: [followUp()] }, ["payment.refunded 3"]],
      ["reversed in part", success, { ...success, followUps: [followUp({ amountMinor: 234 })] }, []],
      [
        "the rest reversed",
        { ...success, followUps: [followUp({ amountMinor: 234 })] },
        { ...success, followUps: [followUp({ amountMinor: 234 }), followUp({ id: "f2", amountMinor: 1_000 })] },
        ["payment.refunded 3"],
      ],
      ["found paid and refunded at once", waiting, { ...success, followUps: [followUp()] }, ["payment.succeeded 2", "payment.refunded 3"]],
      ["verified after the refund", { ...success, followUps: [followUp()] }, { ...success, followUps: [followUp()], late: true }, []],
    ];
    for (const [what, before, after, told] of steps) assert.deepEqual(namesOf(await toldBy(before, after)), told, what);
  });

  it("not of payments that are no merchant's, or of one that does not exist", async () => {
    assert.deepEqual(await toldBy(link("waiting"), link("success")), []);
    assert.deepEqual(await toldBy(link("waiting"), link("success", { order: { shop: "SHOP-GONE" } })), []);
  });

  it("and reads nothing for a step that tells nothing, or is of no merchant's payment", async () => {
    let reads = 0;
    const companion = createPaymentEvents({
      merchantOf: async () => {
        reads += 1;
        return { partnerId: 7, livemode: true };
      },
      eventOperations,
      digest: sha256Hex,
    });
    const step = (before: LinkRecord | null, record: LinkRecord) =>
      companion({ record, before, version: 1, rows: [], attention: [], settled: [], atMs: NOW_MS }, null);
    for (const [before, after] of [
      [null, "created"],
      ["created", "waiting"],
      ["waiting", "watching"],
      ["watching", "success"],
      ["watching", "expired"],
    ] as const) {
      await step(before === null ? null : link(before), link(after));
      assert.equal(reads, 0, `${before} to ${after}`);
    }
    await step(waiting, link("watching", SHOP));
    await step(success, { ...success, followUps: [followUp({ type: "refund", state: "requested" })] });
    assert.equal(reads, 0);
    await step(waiting, success);
    assert.equal(reads, 1);
  });

  it("the same event whoever finds out first, in our own format, with whose it is", async () => {
    const [first] = await toldBy(waiting, success);
    const [second] = await toldBy(link("expired", SHOP), success);
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(first.id, second.id);
    const { format, merchantId, partnerId, livemode, objectId, createdAtMs, request } = first;
    assert.deepEqual(
      { format, merchantId, partnerId, livemode, objectId, createdAtMs, request },
      {
        ...{ format: "portal", merchantId: "SHOP-001", partnerId: 7, livemode: true, objectId: "x1", createdAtMs: NOW_MS },
        request: { id: null, idempotencyKey: null },
      },
    );
  });

  it("as the payment was then, without anybody's name", async () => {
    const [paid] = await toldBy(waiting, success);
    const { createdAt, endedAt, ...object } = Object(paid?.data.object);
    assert.deepEqual(object, {
      object: "payment",
      uuid: "x1",
      status: "SUCCEEDED",
      method: "PAYBYLINK",
      ...{ amountMinor: 1_234, currency: "EUR", amountDiffers: false, late: false, captured: true },
      terminalId: "T1",
      reference: "R7",
      card: { brand: "VISA", last4: "1111" },
      authCode: "A1B2",
      resultCode: "GW_000",
      message: "Transaction completed successfully",
      refund: null,
    });
    assert.ok(Date.parse(createdAt) < Date.parse(endedAt));
    const [refunded] = await toldBy(success, { ...success, followUps: [followUp({ type: "refund" })] });
    assert.deepEqual(Object(refunded?.data.object).refund, {
      ...{ type: "refund", amountMinor: 1_234, at: new Date(NOW_MS - 500).toISOString() },
    });
    for (const text of [JSON.stringify(paid), JSON.stringify(refunded)]) {
      for (const secret of ["ada@example.org", "Ada", "Lovelace", "Order 7", "411111"]) assert.ok(!text.includes(secret), secret);
    }
    const [later] = await toldBy(waiting, link("success", { order: { ...SHOP.order, capture: "later" } }));
    assert.equal(Object(later?.data.object).captured, false);
    const [revoked] = await toldBy(waiting, link("failed", { ...SHOP, revoked: true }));
    assert.equal(Object(revoked?.data.object).status, "CANCELLED");
    const [card] = await toldBy(waiting, link("failed", { order: { ...SHOP.order, merchantReference: "4111111111111111" } }));
    assert.ok(!JSON.stringify(card).includes("4111111111111111"));
  });
});
