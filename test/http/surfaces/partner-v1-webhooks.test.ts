import assert from "node:assert/strict";
import { test } from "node:test";
import { WEBHOOK_ENDPOINTS_MAX } from "../../../engine/webhooks/webhook-endpoint.ts";
import { assertMatches, textMember } from "../../support/http/matches.ts";
import { assertRefused, open } from "./partner-v1-world.ts";

const REQUEST = { url: "https://acme.example/hooks", events: ["payment_intent.succeeded", "charge.refunded"], environment: "LIVE" };

async function registered(world: Awaited<ReturnType<typeof open>>, members: object = {}): Promise<string> {
  const answer = await world.call("POST", "/webhooks", { ...REQUEST, ...members });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return textMember(answer.body, "webhook", "webhookId");
}

test("a webhook from its registration to its end", async (t) => {
  const world = await open(t);
  const { call, clock, webhooks } = world;
  const created = await call("POST", "/webhooks", { ...REQUEST, description: "Back office" });
  const webhookId = textMember(created.body, "webhook", "webhookId");
  const shown = { webhookId, ...REQUEST, description: "Back office", status: "ACTIVE", inactiveReason: null };
  assertMatches(created, { status: 201, body: { success: true, webhook: shown } });
  assertMatches(await webhooks.of(webhookId), {
    owner: { type: "partner", partnerId: 7 },
    format: "platform",
    livemode: true,
    apiVersion: null,
    metadata: {},
    secrets: [],
  });
  // Its events are signed with the partner's own secret: there is nothing to show.
  assert.doesNotMatch(JSON.stringify(created.body), /secret/i);
  assertMatches(await call("GET", `/webhooks/${webhookId}`), { status: 200, body: { webhook: shown } });

  clock.advance(1_000);
  const changed = await call("PATCH", `/webhooks/${webhookId}`, { url: "https://acme.example/other", description: null });
  assertMatches(changed, {
    status: 200,
    body: { webhook: { ...shown, url: "https://acme.example/other", description: null, updatedAt: new Date(clock.nowMs()).toISOString() } },
  });
  for (const [active, status] of [
    [false, "INACTIVE"],
    [true, "ACTIVE"],
  ] as const) {
    assertMatches(await call("PATCH", `/webhooks/${webhookId}`, { active }), {
      status: 200,
      body: { webhook: { status, events: REQUEST.events } },
    });
  }
  assertMatches(await call("DELETE", `/webhooks/${webhookId}`), { status: 200, body: { success: true, webhookId, deleted: true } });
  for (const [method, body] of [["GET"], ["PATCH", { active: true }], ["DELETE"]] as const) {
    assertRefused(await call(method, `/webhooks/${webhookId}`, body), 404, "not_found");
  }
  assertMatches(await call("GET", "/webhooks"), { status: 200, body: { webhooks: [] } });
});

test("an empty description is none", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world, { description: "" });
  assertMatches(await world.call("GET", `/webhooks/${webhookId}`), { body: { webhook: { description: null } } });
  await world.call("PATCH", `/webhooks/${webhookId}`, { description: "the till" });
  assertMatches(await world.call("PATCH", `/webhooks/${webhookId}`, { description: "" }), { body: { webhook: { description: null } } });
});

test("webhooks of both environments are listed together, the newest first", async (t) => {
  const world = await open(t);
  const ids: string[] = [];
  for (const environment of ["LIVE", "TEST", "LIVE"]) {
    ids.push(await registered(world, { environment }));
    world.clock.advance(1_000);
  }
  const { body } = await world.call("GET", "/webhooks");
  assertMatches(body, { webhooks: ids.toReversed().map((webhookId) => ({ webhookId })) });
  assertMatches(body, { webhooks: [{ environment: "LIVE" }, { environment: "TEST" }, { environment: "LIVE" }] });
});

test("an asterisk stands for every name beside it, and a name is kept once", async (t) => {
  const world = await open(t);
  const eventsOf = async (events: string[]) => (await world.webhooks.of(await registered(world, { events }))).events;
  assert.deepEqual(await eventsOf(["charge.failed", "*"]), ["*"]);
  assert.deepEqual(await eventsOf(["charge.failed", "refund.created", "charge.failed"]), ["charge.failed", "refund.created"]);
  // Plug-ins register long lists, of events too that are never sent.
  assert.deepEqual(await eventsOf(["customer.subscription.trial_will_end"]), ["customer.subscription.trial_will_end"]);
});

test("a webhook that the relay switched off says why, until it is switched on again", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world);
  for (const reason of ["gone", "failing"] as const) {
    await world.webhooks.disable(webhookId, reason);
    assertMatches(await world.call("GET", `/webhooks/${webhookId}`), { body: { webhook: { status: "INACTIVE", inactiveReason: reason } } });
    assertMatches(await world.call("PATCH", `/webhooks/${webhookId}`, { active: true }), {
      body: { webhook: { status: "ACTIVE", inactiveReason: null } },
    });
  }
});

test("another partner's webhook is not found, whatever is asked of it, and stays as it is", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world);
  const other = { authorization: "Bearer pk_partner_other" };
  for (const [method, body] of [["GET"], ["PATCH", { active: false }], ["DELETE"]] as const) {
    assertRefused(await world.call(method, `/webhooks/${webhookId}`, body, other), 404, "not_found");
  }
  assertMatches(await world.call("GET", "/webhooks", undefined, other), { body: { webhooks: [] } });
  assertMatches(await world.call("GET", `/webhooks/${webhookId}`), { body: { webhook: { status: "ACTIVE" } } });
});

test("who may only look changes nothing; an operator may", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world);
  const viewer = { authorization: "Bearer pk_partner_viewer" };
  assertRefused(await world.call("POST", "/webhooks", REQUEST, viewer), 403, "forbidden");
  assertRefused(await world.call("PATCH", `/webhooks/${webhookId}`, { active: false }, viewer), 403, "forbidden");
  assertRefused(await world.call("DELETE", `/webhooks/${webhookId}`, undefined, viewer), 403, "forbidden");
  assertMatches(await world.call("GET", `/webhooks/${webhookId}`, undefined, viewer), {
    status: 200,
    body: { webhook: { status: "ACTIVE" } },
  });
  assertMatches(await world.call("GET", "/webhooks", undefined, viewer), { status: 200, body: { webhooks: [{ webhookId }] } });
  const operator = { authorization: "Bearer pk_partner_operator" };
  assert.equal((await world.call("POST", "/webhooks", REQUEST, operator)).status, 201);
  assert.equal((await world.call("DELETE", `/webhooks/${webhookId}`, undefined, operator)).status, 200);
});

test("a partner has sixteen webhooks at most, and room again once it removes one", async (t) => {
  const world = await open(t);
  const first = await registered(world);
  for (let made = 1; made < WEBHOOK_ENDPOINTS_MAX; made += 1) await registered(world);
  assertRefused(await world.call("POST", "/webhooks", REQUEST), 409, "webhook_limit_reached");
  await world.call("DELETE", `/webhooks/${first}`);
  await registered(world);
});

test("a registration that is repeated with its Idempotency-Key is one", async (t) => {
  const { call } = await open(t);
  const key = { "idempotency-key": "register-1" };
  const first = await call("POST", "/webhooks", REQUEST, key);
  const second = await call("POST", "/webhooks", REQUEST, key);
  assert.deepEqual([second.status, second.body], [201, first.body]);
  assertMatches((await call("GET", "/webhooks")).body, { webhooks: [{}] });
});

test("card numbers are not kept in a description", async (t) => {
  const world = await open(t);
  const webhookId = await registered(world, { description: "of 4111 1111 1111 1111" });
  assert.equal((await world.webhooks.of(webhookId)).description, "of 411111******1111");
  await world.call("PATCH", `/webhooks/${webhookId}`, { description: "5555555555554444" });
  assert.equal((await world.webhooks.of(webhookId)).description, "555555******4444");
});

const BAD: readonly [what: string, method: "POST" | "PATCH", members: object, told: RegExp][] = [
  ["no address", "POST", { url: undefined }, /url/],
  ["an empty address", "POST", { url: "" }, /url/],
  ["an address that is too long", "POST", { url: `https://acme.example/${"a".repeat(2_048)}` }, /url/],
  ["an address with a card number", "POST", { url: "https://acme.example/4111111111111111" }, /url.*card number/],
  ["a change to an address with a card number", "PATCH", { url: "https://acme.example/?card=5555555555554444" }, /url.*card number/],
  ["an address that is not https in LIVE", "POST", { url: "http://acme.example/hooks" }, /url.*https/],
  ["an address with a password", "POST", { url: "https://acme:secret@acme.example/hooks" }, /url.*password/],
  ["an address of a local network", "POST", { url: "https://10.0.0.1/hooks" }, /url: must not be an address of a local network/],
  ["a change to an address of a local network", "PATCH", { url: "https://localhost/hooks" }, /url: must not be an address of a local/],
  ["a text that is no address", "PATCH", { url: "acme.example/hooks" }, /url.*absolute/],
  ["no events", "POST", { events: [] }, /events/],
  ["too many events", "POST", { events: Array.from({ length: 101 }, (_, index) => `charge.e${index}`) }, /events/],
  ["a name that no event can have", "POST", { events: ["Payment succeeded"] }, /events.*name of an event/],
  ["part of a name", "POST", { events: ["charge.*"] }, /events.*name of an event/],
  ["no environment", "POST", { environment: undefined }, /environment/],
  ["another environment", "POST", { environment: "BOTH" }, /environment/],
  ["a description that is too long", "POST", { description: "x".repeat(256) }, /description/],
  ["a member that there is not", "POST", { secret: "whsec_mine" }, /secret/],
  ["a change of nothing", "PATCH", {}, /at least one member/],
  ["a change of the environment", "PATCH", { environment: "TEST" }, /environment/],
  ["a change to no events", "PATCH", { events: [] }, /events/],
];

for (const [what, method, members, told] of BAD) {
  test(`${what} is refused, and nothing is changed`, async (t) => {
    const world = await open(t);
    const webhookId = await registered(world);
    const before = (await world.call("GET", "/webhooks")).body;
    const path = method === "POST" ? "/webhooks" : `/webhooks/${webhookId}`;
    const answer = await world.call(method, path, method === "POST" ? { ...REQUEST, ...members } : members);
    assertRefused(answer, 400, "invalid_request");
    assert.match(textMember(answer.body, "error"), told);
    assert.deepEqual((await world.call("GET", "/webhooks")).body, before);
  });
}

test("an id that is none is refused", async (t) => {
  const { call } = await open(t);
  for (const id of ["we_short", "SHOP-001", `we_${"a".repeat(25)}`]) {
    assertRefused(await call("GET", `/webhooks/${id}`), 400, "invalid_request");
  }
});
