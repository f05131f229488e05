import assert from "node:assert/strict";
import { test } from "node:test";
import { failedDelivery, freshDelivery, type WebhookDeliveryRecord } from "../../../engine/webhooks/webhook-delivery.ts";
import { eventOperations } from "../../../engine/webhooks/webhook-event-store.ts";
import { event } from "../../engine/webhooks/webhook-world.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { assertRefused, open } from "./partner-v1-world.ts";

type World = Awaited<ReturnType<typeof open>>;

async function registered({ call }: World, headers: { [name: string]: string } = {}): Promise<string> {
  const answer = await call("POST", "/webhooks", { url: "https://acme.example/hooks", events: ["*"], environment: "TEST" }, headers);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return textMember(answer.body, "webhook", "webhookId");
}

/** A delivery that has failed once and waits, or that was given up. */
async function failed(world: World, webhookId: string, name: string, isDead: boolean): Promise<WebhookDeliveryRecord> {
  const { kv, clock, webhooks } = world;
  const happened = event(name, 1, { createdAtMs: clock.nowMs() });
  await kv.commit({ checks: [], operations: eventOperations([happened]) });
  const fresh = freshDelivery(happened, await webhooks.of(webhookId), { apiVersion: null, pendingWebhooks: 1, atMs: clock.nowMs() });
  await webhooks.deliveries.create(fresh);
  const stored = await webhooks.deliveries.load(fresh.id);
  assert.ok(stored !== null);
  const attempt = { atMs: clock.nowMs(), durationMs: 84, status: 500, answer: "<h1>Oops</h1>", error: "answered 500" };
  const after = failedDelivery({ ...fresh, attemptsMade: isDead ? 6 : 1 }, attempt, clock.nowMs(), 0);
  if (isDead) await webhooks.deliveries.dead(stored, after, happened);
  else await webhooks.deliveries.replace(stored, after);
  clock.advance(1_000);
  return after;
}

test("a partner sees what its endpoint answered, page by page and by state", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world);
  const [first, second, third] = [
    await failed(world, webhookId, "1", true),
    await failed(world, webhookId, "2", false),
    await failed(world, webhookId, "3", true),
  ];
  await failed(world, await registered(world), "4", true);
  const path = `/webhooks/${webhookId}/deliveries`;
  const { status, body } = await world.call("GET", path);
  assert.equal(status, 200);
  const at = new Date(first.createdAtMs).toISOString();
  assertMatches(body, {
    success: true,
    deliveries: [
      {
        ...{ deliveryId: first.id, webhookId, eventId: first.eventId, eventType: "payment_intent.succeeded", objectId: "pi_1" },
        ...{ merchantId: "M1", state: "dead", createdAt: at, nextAttemptAt: null },
        attempts: [{ at, durationMs: 84, status: 500, error: "answered 500", answer: "<h1>Oops</h1>" }],
      },
      { deliveryId: second.id, state: "waiting", nextAttemptAt: new Date(second.nextAtMs ?? 0).toISOString() },
      { deliveryId: third.id, state: "dead" },
    ],
  });
  assertMatches((await world.call("GET", `${path}?state=dead&limit=1&after=${first.id}`)).body, { deliveries: [{ deliveryId: third.id }] });
  assertMatches((await world.call("GET", `${path}?state=canceled`)).body, { deliveries: [] });
  for (const query of ["after=evt_gone", `after=${event("1").id}.we_of_another`, "state=lost", "limit=101"]) {
    assertRefused(await world.call("GET", `${path}?${query}`), 400, "invalid_request");
  }
});

test("a partner has a delivery sent again, which is not another endpoint's", async (t) => {
  const world = await open(t);
  const [webhookId, otherId] = [await registered(world), await registered(world)];
  const dead = await failed(world, webhookId, "1", true);
  const path = `/webhooks/${webhookId}/deliveries/${dead.id}/resend`;
  assertRefused(await world.call("POST", `/webhooks/${otherId}/deliveries/${dead.id}/resend`), 404, "not_found");
  assertRefused(await world.call("POST", `/webhooks/${webhookId}/deliveries/evt_nobody.${webhookId}/resend`), 404, "not_found");
  assert.equal((await world.webhooks.deliveries.load(dead.id))?.record.state, "dead");
  assertMatches(await world.call("POST", path), {
    status: 200,
    body: { delivery: { deliveryId: dead.id, state: "waiting", nextAttemptAt: new Date(world.clock.nowMs()).toISOString() } },
  });
  await world.call("PATCH", `/webhooks/${webhookId}`, { active: false });
  assertRefused(await world.call("POST", path), 409, "conflict");
});

test("another partner's deliveries are not there, and a viewer sends nothing again", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world);
  const dead = await failed(world, webhookId, "1", true);
  const path = `/webhooks/${webhookId}/deliveries`;
  const other = { authorization: "Bearer pk_partner_other" };
  assertRefused(await world.call("GET", path, undefined, other), 404, "not_found");
  assertRefused(await world.call("POST", `${path}/${dead.id}/resend`, undefined, other), 404, "not_found");
  const viewer = { authorization: "Bearer pk_partner_viewer" };
  assert.equal((await world.call("GET", path, undefined, viewer)).status, 200);
  assertRefused(await world.call("POST", `${path}/${dead.id}/resend`, undefined, viewer), 403, "forbidden");
  const operator = { authorization: "Bearer pk_partner_operator" };
  assert.equal((await world.call("POST", `${path}/${dead.id}/resend`, undefined, operator)).status, 200);
});
