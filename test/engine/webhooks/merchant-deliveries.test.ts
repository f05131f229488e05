import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import {
  LOOKED_THROUGH_MAX,
  type MerchantDeliveriesQuery,
  outcomeOf,
  RESENT_MAX,
  TEST_EVERY_MS,
} from "../../../engine/webhooks/merchant-deliveries.ts";
import type { PostOutcome } from "../../../engine/webhooks/post-target.ts";
import { freshDelivery, WEBHOOK_PAUSES_MS } from "../../../engine/webhooks/webhook-delivery.ts";
import type { DeliveryPlace } from "../../../engine/webhooks/webhook-delivery-store.ts";
import type { WebhookEvent } from "../../../engine/webhooks/webhook-event.ts";
import { answered, event, MERCHANT, OK, PARTNER, START_MS, world } from "./webhook-world.ts";

const M1 = { merchantId: "M1", partnerId: 7, livemode: false };
const ALL: MerchantDeliveriesQuery = {
  ...{ endpointId: null, outcome: null, eventType: null, objectId: null, after: null },
  limit: 50,
};

type World = ReturnType<typeof world>;

/** An event of our own format. */
function portal(name: string, sequence = 1, more: Partial<WebhookEvent> = {}): WebhookEvent {
  return event(name, sequence, { format: "portal", type: "payment.succeeded", ...more });
}

/** All attempts of everything, of what waits for another event of its object too. */
async function exhaust({ tick, advance, deliveries }: World): Promise<void> {
  do {
    await tick();
    advance(Math.max(...WEBHOOK_PAUSES_MS) * 1.1);
  } while ((await deliveries.count("waiting", 1)) > 0);
}

const failing = async (): Promise<PostOutcome> => answered(500, "no");
const namesOf = (found: readonly { objectId: string; sequence: number; endpointId: string }[]) =>
  found.map(({ objectId, sequence }) => `${objectId} ${sequence}`);

/** Everything that failed, call by call, as the page does it. */
async function resendAll(of: World, endpointId: string | null = null) {
  const sum = { resent: 0, skipped: 0, calls: 0 };
  for (let after: DeliveryPlace | null = null; ; ) {
    const { resent, skipped, next } = await of.merchantDeliveries.resendFailed(M1, endpointId, after);
    sum.resent += resent;
    sum.skipped += skipped;
    sum.calls += 1;
    if (next === null) return sum;
    after = next;
  }
}

test("deliveries of both formats and of all of the merchant's endpoints are one list, newest first, in pages that leave none out", async () => {
  const of = world();
  const { register, happen, settle, advance, merchantDeliveries } = of;
  const own = await register("https://shop.example/own", { format: "portal" });
  await register("https://shop.example/platform");
  await register("https://partner.example/", {}, PARTNER);
  await register("https://other.example/", { format: "portal" }, { type: "merchant", merchantId: "M2" });
  await register("https://live.example/", { format: "portal", livemode: true });
  for (let index = 0; index < 5; index += 1) {
    await happen(portal(`own${index}`), event(`pf${index}`), portal(`M2-${index}`, 1, { merchantId: "M2" }));
    await happen(portal(`live${index}`, 1, { livemode: true }));
    await settle();
    advance(1_000);
  }
  const all = await merchantDeliveries.list(M1, ALL);
  assert.equal(all.found.length, 10);
  assert.equal(all.next, null);
  assert.deepEqual(
    [...all.found].sort((one, other) => other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1)),
    all.found,
  );
  const paged: string[] = [];
  for (let after: DeliveryPlace | null = null, pages = 0; pages < 10; pages += 1) {
    const page: Awaited<ReturnType<typeof merchantDeliveries.list>> = await merchantDeliveries.list(M1, { ...ALL, after, limit: 3 });
    paged.push(...page.found.map(({ id }) => id));
    after = page.next;
    if (after === null) break;
  }
  assert.deepEqual(
    paged,
    all.found.map(({ id }) => id),
  );
  const ofOne = await merchantDeliveries.list(M1, { ...ALL, endpointId: own.id });
  assert.deepEqual(namesOf(ofOne.found), ["pi_own4 1", "pi_own3 1", "pi_own2 1", "pi_own1 1", "pi_own0 1"]);
  assert.deepEqual((await merchantDeliveries.list({ ...M1, merchantId: "M3" }, ALL)).found, []);
  assert.equal((await merchantDeliveries.list({ ...M1, livemode: true }, ALL)).found.length, 5);
  assert.deepEqual((await merchantDeliveries.list({ ...M1, merchantId: "M2" }, { ...ALL, endpointId: own.id })).found, []);
});

test("the list is narrowed by outcome, by type, and by object, each in pages too", async () => {
  const of = world();
  const { register, happen, settle, behaviour, advance, merchantDeliveries } = of;
  const { id } = await register("https://shop.example/", { format: "portal" });
  await happen(portal("a", 1, { type: "payment.failed" }), portal("b"));
  await settle();
  behaviour.answer = failing;
  advance(1_000);
  await happen(portal("a", 2), portal("c", 1, { type: "payment.failed" }));
  await exhaust(of);
  advance(1_000);
  await happen(portal("a", 3, { type: "payment.refunded" }));
  await settle();
  const list = async (query: Partial<MerchantDeliveriesQuery>) => namesOf((await merchantDeliveries.list(M1, { ...ALL, ...query })).found);
  assert.deepEqual((await list({ outcome: "DELIVERED" })).sort(), ["pi_a 1", "pi_b 1"]);
  assert.deepEqual((await list({ outcome: "FAILED" })).sort(), ["pi_a 2", "pi_c 1"]);
  assert.deepEqual(await list({ outcome: "PENDING" }), ["pi_a 3"]);
  assert.deepEqual((await list({ eventType: "payment.failed" })).sort(), ["pi_a 1", "pi_c 1"]);
  assert.deepEqual(await list({ eventType: "payment.failed", outcome: "FAILED" }), ["pi_c 1"]);
  assert.deepEqual(await list({ eventType: "payment.failed", limit: 1 }), ["pi_c 1"]);
  assert.deepEqual(await list({ objectId: "pi_a" }), ["pi_a 3", "pi_a 2", "pi_a 1"]);
  assert.deepEqual(await list({ objectId: "pi_a", outcome: "DELIVERED" }), ["pi_a 1"]);
  assert.deepEqual(await list({ objectId: "pi_a", eventType: "payment.refunded" }), ["pi_a 3"]);
  assert.deepEqual(await list({ objectId: "pi_none" }), []);
  const first = await merchantDeliveries.list(M1, { ...ALL, objectId: "pi_a", limit: 2 });
  assert.deepEqual(namesOf(first.found), ["pi_a 3", "pi_a 2"]);
  assert.deepEqual(await list({ objectId: "pi_a", limit: 2, after: first.next }), ["pi_a 1"]);
  assert.deepEqual(await list({ objectId: "pi_a", endpointId: id }), ["pi_a 3", "pi_a 2", "pi_a 1"]);
  assert.deepEqual(
    (await merchantDeliveries.list({ ...M1, merchantId: "M2" }, { ...ALL, objectId: "pi_a" })).found,
    [],
    "another merchant's object",
  );
});

test("a page by type looks through a bounded number of deliveries, and goes on from there", async () => {
  const { webhookEndpoints, register, deliveries, merchantDeliveries } = world();
  const { id } = await register("https://shop.example/", { format: "portal" });
  const endpoint = await webhookEndpoints.find(MERCHANT, false, id);
  assert.ok(endpoint !== null);
  const more = { apiVersion: null, pendingWebhooks: 1 };
  await deliveries.create(freshDelivery(portal("old", 1, { type: "payment.refunded" }), endpoint, { ...more, atMs: START_MS }));
  for (let index = 1; index <= LOOKED_THROUGH_MAX; index += 1) {
    await deliveries.create(freshDelivery(portal(`${index}`), endpoint, { ...more, atMs: START_MS + index }));
  }
  const first = await merchantDeliveries.list(M1, { ...ALL, eventType: "payment.refunded" });
  assert.deepEqual([first.found.length, first.next?.createdAtMs], [0, START_MS + 1]);
  const second = await merchantDeliveries.list(M1, { ...ALL, eventType: "payment.refunded", after: first.next });
  assert.deepEqual([namesOf(second.found), second.next], [["pi_old 1"], null]);
});

test("one delivery is shown with its event and endpoint, to its merchant in its environment, also when the endpoint is gone", async () => {
  const { register, happen, settle, merchantDeliveries, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/", { format: "portal" });
  const partners = await register("https://partner.example/", {}, PARTNER);
  await happen(portal("a"), event("b"));
  await settle();
  const deliveryId = `${portal("a").id}.${id}`;
  const found = await merchantDeliveries.find(M1, deliveryId);
  assert.deepEqual([found?.event?.id, found?.endpoint?.id, found?.delivery.state], [portal("a").id, id, "delivered"]);
  assert.equal(await merchantDeliveries.find({ ...M1, merchantId: "M2" }, deliveryId), null);
  assert.equal(await merchantDeliveries.find({ ...M1, livemode: true }, deliveryId), null);
  assert.equal(await merchantDeliveries.find(M1, `${event("b").id}.${partners.id}`), null, "its partner's");
  assert.equal(await merchantDeliveries.find(M1, "../webhook-endpoint/we_1"), null);
  await webhookEndpoints.remove(MERCHANT, false, id);
  assert.equal((await merchantDeliveries.find(M1, deliveryId))?.endpoint, null);
  assert.deepEqual((await merchantDeliveries.list(M1, ALL)).found, []);
  assert.equal(await merchantDeliveries.resend(M1, deliveryId), "endpoint_disabled");
});

test("a resend goes out at once, whatever became of it before; not at an endpoint that is disabled, and not for another merchant", async () => {
  const { register, happen, settle, posted, merchantDeliveries, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/", { format: "portal" });
  await happen(portal("a"));
  await settle();
  const deliveryId = `${portal("a").id}.${id}`;
  const resent = await merchantDeliveries.resend(M1, deliveryId);
  assert.ok(resent !== null && resent !== "endpoint_disabled");
  assert.equal(outcomeOf(resent.delivery), "PENDING");
  await settle();
  assert.equal(posted.length, 2);
  assert.equal(new Set(posted.map(({ body }) => body)).size, 1);
  assert.equal(await merchantDeliveries.resend({ ...M1, merchantId: "M2" }, deliveryId), null);
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: true });
  assert.equal(await merchantDeliveries.resend(M1, deliveryId), "endpoint_disabled");
});

test("resending all that failed leaves out what was delivered since, what is superseded, and what its endpoint may not get", async () => {
  const of = world();
  const { register, happen, settle, behaviour, posted, merchantDeliveries, webhookEndpoints } = of;
  const good = await register("https://shop.example/good", { format: "portal" });
  const off = await register("https://shop.example/off", { format: "portal" });
  behaviour.answer = failing;
  // The failure of `late` is superseded by its success, which comes through; `both` has two events that failed, of `again` one is delivered by a resend.
  await happen(portal("late", 1, { type: "payment.failed" }), portal("both", 1), portal("both", 3), portal("again"));
  await exhaust(of);
  behaviour.answer = async () => OK;
  await happen(portal("late", 2));
  await settle();
  const again = await merchantDeliveries.resend(M1, `${portal("again").id}.${good.id}`);
  assert.ok(again !== null && again !== "endpoint_disabled");
  await settle();
  await webhookEndpoints.change(MERCHANT, false, off.id, { disabled: true });
  const before = posted.length;
  const outcome = await resendAll(of);
  // At `good`: both events of `both`. Left out: the superseded one there, and four at the disabled endpoint.
  assert.deepEqual([outcome.resent, outcome.skipped], [2, 5]);
  await settle();
  assert.deepEqual(
    posted.slice(before).map(({ url, body }) => [url, JSON.parse(body).objectId, JSON.parse(body).sequence]),
    [
      ["https://shop.example/good", "pi_both", 1],
      ["https://shop.example/good", "pi_both", 3],
    ],
  );
  await webhookEndpoints.change(MERCHANT, false, off.id, { disabled: false });
  assert.deepEqual(await resendAll(of, good.id), { resent: 0, skipped: 1, calls: 1 });
  assert.equal((await resendAll(of, off.id)).resent, 3, "of `late` the success came through there too");
  await settle();
  assert.deepEqual((await merchantDeliveries.list(M1, { ...ALL, outcome: "FAILED" })).found.length, 2);
});

test("what an endpoint missed while it was disabled has failed, and is sent again with the rest", async () => {
  const of = world();
  const { register, happen, settle, behaviour, posted, advance, tick, merchantDeliveries, webhookEndpoints } = of;
  const { id } = await register("https://shop.example/", { format: "portal" });
  behaviour.answer = failing;
  await happen(portal("a"));
  await tick();
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: true });
  assert.deepEqual(namesOf((await merchantDeliveries.list(M1, { ...ALL, outcome: "FAILED" })).found), ["pi_a 1"]);
  advance(10_000);
  behaviour.answer = async () => OK;
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: false });
  assert.equal((await resendAll(of)).resent, 1);
  await settle();
  assert.equal(posted.length, 2);
});

test("of very many that failed each call resends a bounded number, and all calls together each once", async () => {
  const of = world();
  const { webhookEndpoints, register, deliveries, kv, happen } = of;
  const { id } = await register("https://shop.example/", { format: "portal" });
  const endpoint = await webhookEndpoints.find(MERCHANT, false, id);
  assert.ok(endpoint !== null && kv !== null);
  const count = RESENT_MAX * 2 + 50;
  for (let index = 0; index < count; index += 1) {
    const one = portal(`${index}`);
    await happen(one);
    const record = freshDelivery(one, endpoint, { apiVersion: null, pendingWebhooks: 1, atMs: START_MS + index });
    await deliveries.create({ ...record, state: "dead", nextAtMs: null });
  }
  // Two who press the button at the same time.
  const outcomes = await Promise.all([resendAll(of), resendAll(of)]);
  assert.ok(outcomes.every(({ calls }) => calls >= 3));
  assert.equal(
    outcomes.reduce((sum, { resent }) => sum + resent, 0),
    count,
  );
  assert.equal((await deliveries.waitingFor(id, 1_000)).length, count);
});

test("a test event goes to one endpoint alone, whatever it subscribed to, once in ten seconds, and is in no list of events", async () => {
  const { register, settle, posted, advance, merchantDeliveries, webhookEvents, webhookEndpoints, clock } = world();
  advance(TEST_EVERY_MS - (clock.nowMs() % TEST_EVERY_MS));
  const tested = await register("https://shop.example/tested", { format: "portal", events: ["payment_link.paid"] });
  const platform = await register("https://shop.example/platform", { events: ["charge.refunded"] });
  await register("https://shop.example/other", { format: "portal" });
  const sent = await merchantDeliveries.sendTest(M1, tested.id, "req-1");
  assert.ok(sent !== null && sent !== "endpoint_disabled");
  await assert.rejects(
    () => merchantDeliveries.sendTest(M1, tested.id, "req-2"),
    (error) => error instanceof RelayError && error.code === "rate_limited" && error.retryAfterSeconds === 10,
  );
  assert.notEqual(await merchantDeliveries.sendTest(M1, platform.id, "req-3"), null);
  await settle();
  assert.deepEqual(posted.map(({ url, body }) => `${url} ${JSON.parse(body).type}`).sort(), [
    "https://shop.example/platform webhook.test",
    "https://shop.example/tested webhook.test",
  ]);
  assert.deepEqual(namesOf((await merchantDeliveries.list(M1, { ...ALL, objectId: sent.objectId })).found), [`${sent.objectId} 1`]);
  const query = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null, types: null };
  assert.deepEqual((await webhookEvents.list("M1", false, query))?.items, []);
  advance(TEST_EVERY_MS);
  assert.notEqual(await merchantDeliveries.sendTest(M1, tested.id, "req-4"), null);
  assert.equal(await merchantDeliveries.sendTest({ ...M1, merchantId: "M2" }, tested.id, "req-5"), null);
  assert.equal(await merchantDeliveries.sendTest({ ...M1, livemode: true }, tested.id, "req-5"), null);
  await webhookEndpoints.change(MERCHANT, false, tested.id, { disabled: true });
  assert.equal(await merchantDeliveries.sendTest(M1, tested.id, "req-6"), "endpoint_disabled");
});
