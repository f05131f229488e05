import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import type { ActivityLog, CallEntry, WorkflowEntry } from "../../../../../engine/kernel/activity-log.ts";
import type { MailRecord } from "../../../../../engine/mails/mail-record.ts";
import { createGiveBack } from "../../../../../engine/refunds/refund-payment.ts";
import type { WebhookEndpointRecord } from "../../../../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpointStore } from "../../../../../engine/webhooks/webhook-endpoint-store.ts";
import {
  logCallbacks,
  logMails,
  logWebhookEndpoints,
  logWebhooks,
  observeLinks,
} from "../../../../../infra/node/wiring/shared/activity-hooks.ts";
import { MemoryKv } from "../../../../engine/kernel/memory-kv.ts";
import { openLinkWorld } from "../../../../engine/links/world.ts";
import { event } from "../../../../engine/webhooks/webhook-world.ts";

function openLog() {
  const [steps, calls]: [WorkflowEntry[], CallEntry[]] = [[], []];
  const activity: ActivityLog = { workflow: (entry) => void steps.push(entry), call: (entry) => void calls.push(entry) };
  return { activity, steps, calls };
}

const GATEWAY_URL = "https://gateway.example:8443/CG_SERVICES/secret-path";

describe("the entries of links in their merchant's log", () => {
  it("has each transition that changed the link and each call to the gateway, with the request that caused it", async () => {
    const { activity, steps, calls } = openLog();
    const world = openLinkWorld({ observer: observeLinks(activity, GATEWAY_URL) });
    await world.create("link-1", { shop: "SHOP-001" });
    // It is verified repeatedly without a change.
    await world.pass(7 * 60_000);
    world.gateway.pay("link-1");
    await world.pass(60_000);
    const cause = { surface: "test", requestId: "request-1" };
    await world.shard.links.followUp({ txId: "link-1", operationId: "refund-1", type: "refund", amountMinor: null }, cause);
    await world.shard.links.followUp({ txId: "link-1", operationId: "refund-2", type: "refund", amountMinor: null }, cause);

    assert.deepEqual(
      steps.map(({ event, from, to, outcome, requestId }) => [event, from, to, outcome, requestId]),
      [
        ["link.created", null, "created", "done", null],
        ["init.begun", "created", "created", "done", null],
        ["init.answered", "created", "waiting", "done", null],
        ["verify.answered", "waiting", "watching", "done", null],
        ["verify.answered", "watching", "success", "done", null],
        ["followUp.requested", "success", "success", "done", "request-1"],
        ["followUp.answered", "success", "success", "done", "request-1"],
        ["followUp.requested", "success", "success", "refused", "request-1"],
      ],
    );
    assert.ok(steps.every(({ merchantId, objectType, objectId }) => `${merchantId} ${objectType} ${objectId}` === "SHOP-001 link link-1"));
    const operations = calls.map(({ operation }) => operation);
    assert.deepEqual([operations[0], operations.at(-1)], ["init", "refund"]);
    assert.ok(operations.filter((operation) => operation === "verify").length >= 4);
    assert.ok(calls.every(({ host, objectId, target }) => `${host} ${objectId} ${target}` === "gateway.example:8443 link-1 gateway"));
    assert.deepEqual([calls.at(-1)?.outcome, calls.at(-1)?.requestId], ["done", "request-1"]);
  });

  it("has the request that refunds a payment", async () => {
    const { activity, steps, calls } = openLog();
    const world = openLinkWorld({ observer: observeLinks(activity, GATEWAY_URL) });
    await world.create("link-1", { shop: "SHOP-001" });
    world.gateway.pay("link-1");
    await world.pass(10 * 60_000);
    const giveBack = createGiveBack({
      links: world.shard.links,
      intents: { refund: () => assert.fail("no intent's"), cancel: () => assert.fail("no intent's") },
      digest: (text) => createHash("sha256").update(text).digest("hex"),
    });
    const owner = { merchantId: "SHOP-001", partnerId: 1, livemode: false };
    const operation = { id: "refund-1", requestId: "request-1", idempotencyKey: null };
    assert.equal((await giveBack(owner, await world.link("link-1"), operation)).type, "given_back");
    assert.deepEqual(
      steps.filter(({ event }) => event.startsWith("followUp.")).map(({ event, requestId }) => [event, requestId]),
      [
        ["followUp.requested", "request-1"],
        ["followUp.answered", "request-1"],
      ],
    );
    assert.deepEqual([calls.at(-1)?.operation, calls.at(-1)?.requestId], ["refund", "request-1"]);
  });

  it("is empty for a link without a merchant", async () => {
    const { activity, steps, calls } = openLog();
    const world = openLinkWorld({ observer: observeLinks(activity, GATEWAY_URL) });
    await world.create("link-1");
    world.gateway.pay("link-1");
    await world.pass(10 * 60_000);
    assert.equal((await world.link("link-1")).state, "success");
    assert.deepEqual([steps, calls], [[], []]);
  });

  it("explains a failed or refused call with our words or the gateway's code, but never its text", async () => {
    const { activity, calls } = openLog();
    const world = openLinkWorld({ observer: observeLinks(activity, GATEWAY_URL) });
    world.gateway.mode = "away";
    await world.create("link-1", { shop: "SHOP-001" });
    world.gateway.mode = "there";
    world.gateway.refuses = { resultCode: "GW_10001", description: "Mara Rossi is not known here" };
    await world.create("link-2", { shop: "SHOP-001" });
    assert.deepEqual(
      calls.filter(({ operation }) => operation === "init").map(({ outcome, detail, httpStatus }) => [outcome, detail, httpStatus]),
      [
        ["failed", "away", null],
        ["refused", "GW_10001", null],
      ],
    );
    assert.ok(!JSON.stringify(calls).includes("Mara"));
  });
});

const ENDPOINT: WebhookEndpointRecord = {
  ...{ schema: 1, id: `we_${"1".repeat(24)}`, owner: { type: "merchant", merchantId: "SHOP-001" }, format: "platform", livemode: false },
  ...{ url: "https://shop.example:8443/hooks/secret-path", events: ["*"], apiVersion: null, description: null, metadata: {} },
  ...{ status: "enabled", disabledReason: null, secrets: [], rolls: [], createdAtMs: 1_000, updatedAtMs: 1_000 },
};

describe("the entries of webhooks in their merchant's log", () => {
  it("has each attempt to deliver, with the host only", () => {
    const { activity, calls } = openLog();
    const attempted = logWebhooks(activity);
    const sent = event("pi_1", 1, { type: "payment_intent.succeeded" });
    attempted({
      event: sent,
      endpoint: ENDPOINT,
      attempt: { atMs: 5_000, durationMs: 12, status: 503, answer: "private", error: "answered 503" },
    });
    attempted({
      event: sent,
      endpoint: { ...ENDPOINT, owner: { type: "partner", partnerId: 7 } },
      attempt: { atMs: 5_000, durationMs: 12, status: 200, answer: "", error: null },
    });
    assert.deepEqual(calls, [
      {
        ...{ atMs: 5_000, merchantId: "SHOP-001", objectId: sent.id, target: "webhook", operation: "payment_intent.succeeded", ms: 12 },
        ...{ host: "shop.example:8443", httpStatus: 503, outcome: "failed", detail: "answered 503", requestId: sent.request.id },
      },
    ]);
  });

  it("has each stored transition of an endpoint", async () => {
    const { activity, steps } = openLog();
    const store = logWebhookEndpoints(createWebhookEndpointStore(new MemoryKv()), activity, () => 9_000);
    const change = async (changes: Partial<WebhookEndpointRecord>) => {
      const stored = await store.load(ENDPOINT.id);
      assert.ok(stored !== null);
      await store.replace(stored, { ...stored.record, ...changes, updatedAtMs: 2_000 });
    };
    await store.create(ENDPOINT);
    await store.create(ENDPOINT);
    await change({ url: "https://shop.example/other" });
    await change({ rolls: ["roll-1"] });
    await change({ status: "disabled" });
    await change({ status: "enabled" });
    await change({ status: "disabled", disabledReason: "gone" });
    const last = await store.load(ENDPOINT.id);
    assert.ok(last !== null);
    // Another request changed it in the meantime.
    assert.equal(await store.replace({ ...last, version: last.version - 1 }, ENDPOINT), null);
    assert.equal(await store.remove(last), true);
    await store.create({ ...ENDPOINT, id: `we_${"2".repeat(24)}`, owner: { type: "partner", partnerId: 7 } });
    assert.deepEqual(
      steps.map(({ event: what, from, to, atMs }) => [what, from, to, atMs]),
      [
        ["endpoint.created", null, "enabled", 1_000],
        ["endpoint.changed", "enabled", "enabled", 2_000],
        ["secret.rotated", "enabled", "enabled", 2_000],
        ["endpoint.disabled", "enabled", "disabled", 2_000],
        ["endpoint.enabled", "disabled", "enabled", 2_000],
        ["endpoint.gone", "enabled", "disabled", 2_000],
        ["endpoint.removed", "disabled", "removed", 9_000],
      ],
    );
    assert.ok(!JSON.stringify(steps).includes("shop.example"));
  });
});

it("has callbacks under the merchants of their links, and none without a merchant", async () => {
  const { activity, calls } = openLog();
  const shops = new Map([["link-1", "SHOP-001"]]);
  const attempted = logCallbacks(activity, async (txId) => {
    if (txId === "link-3") throw new Error("the store is away");
    return shops.get(txId) ?? null;
  });
  for (const paymentId of ["link-1", "link-2", "link-3"]) {
    attempted({
      record: {
        ...{ schema: 1, id: `${paymentId}.success.callback`, url: "https://shop.example/back?token=secret" },
        ...{ body: { merId: "M1", txId: "their-id", paymentId }, state: "waiting", attempts: 1, createdAtMs: 0, nextAtMs: 0 },
        ...{ lastAttemptAtMs: null, lastError: null },
      },
      ...{ outcome: { type: "failed", reason: "answered 500", httpStatus: 500 }, atMs: 1_000, ms: 7 },
    });
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(calls, [
    {
      ...{ atMs: 1_000, merchantId: "SHOP-001", objectId: "link-1", target: "callback", operation: "payment.ended", host: "shop.example" },
      ...{ httpStatus: 500, outcome: "failed", detail: "answered 500", ms: 7, requestId: null },
    },
  ]);
});

it("has mails by their kind, without their recipients", () => {
  const { activity, calls } = openLog();
  const attempted = logMails(activity, "smtp.example:587");
  const mail: MailRecord = {
    ...{ schema: 1, id: "mail-1", kind: "invitation", to: "mara@shop.example", merchantId: "SHOP-001", state: "QUEUED", sealed: "x" },
    ...{ createdAtMs: 0, updatedAtMs: 0, expiresAtMs: 1, nextAtMs: null, attempts: 1 },
  };
  attempted({ mail, outcome: "sent", reason: null, atMs: 1_000, ms: 30 });
  attempted({ mail, outcome: "failed", reason: "no answer", atMs: 2_000, ms: 30 });
  attempted({ mail: { ...mail, merchantId: null }, outcome: "sent", reason: null, atMs: 3_000, ms: 30 });
  assert.deepEqual(
    calls.map(({ objectId, operation, host, outcome, detail }) => [objectId, operation, host, outcome, detail]),
    [
      ["mail-1", "invitation", "smtp.example:587", "done", null],
      ["mail-1", "invitation", "smtp.example:587", "failed", "no answer"],
    ],
  );
  assert.ok(!JSON.stringify(calls).includes("mara"));
});
