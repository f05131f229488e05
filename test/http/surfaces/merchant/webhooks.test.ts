import assert from "node:assert/strict";
import { test } from "node:test";
import { rolesThatMay } from "../../../../engine/access/merchant-user-grant.ts";
import { PLATFORM_EVENT_TYPES } from "../../../../engine/intents/events.ts";
import { PORTAL_EVENT_TYPES } from "../../../../engine/webhooks/portal-events.ts";
import { WEBHOOK_ENDPOINTS_MAX } from "../../../../engine/webhooks/webhook-endpoint.ts";
import { MERCHANT_BASE } from "../../../../http/surfaces/merchant/surface.ts";
import { webhookEndpoints } from "../../../../http/surfaces/merchant/webhooks/endpoints.ts";
import { answered, event, MERCHANT, OK } from "../../../engine/webhooks/webhook-world.ts";
import { assertMatches, listOf, member, textMember } from "../../../support/http/matches.ts";
import { open, type Who } from "./webhooks-world.ts";

const ROLES = ["OWNER", "ADMIN", "FINANCE", "DEVELOPER", "VIEWER"] as const satisfies readonly Who[];
const URL = "https://shop.example/hooks";
const NOBODY = "a".repeat(24);

type World = Awaited<ReturnType<typeof open>>;

async function made({ send }: World, more: object = {}, who: Who = "key") {
  const answer = await send("POST", "/webhooks", { who, body: { url: URL, events: ["*"], ...more } });
  assert.equal(answer.status, 201, answer.text);
  return { id: textMember(answer.body, "data", "endpoint", "id"), secret: textMember(answer.body, "data", "secret") };
}

const portal = (name: string, sequence = 1, object: object = {}) =>
  event(name, sequence, { format: "portal", type: "payment.succeeded", data: { object } });

for (const { name, method, path, bodyExample, stepUp } of webhookEndpoints) {
  test(`${name}: nobody, a wrong or publishable key, and a role that may not integrate are refused, and nothing is done`, async (t) => {
    const world = await open(t);
    const { id } = await made(world);
    const asked = path.slice(MERCHANT_BASE.length).replace("deliveries/{id}", `deliveries/evt_${NOBODY}.${id}`).replace("{id}", id);
    const ask = (who: Who) => world.send(method, asked, { who, ...(bodyExample === undefined ? {} : { body: bodyExample }) });
    assertMatches(await ask("nobody"), { status: 401, body: { status: "error", code: "unauthorized" } });
    assertMatches(await ask("publishable"), { status: 403 });
    for (const role of ROLES) {
      const answer = await ask(role);
      if (rolesThatMay("integrate").includes(role)) assert.ok(![401, 403].includes(answer.status), `${role}: ${answer.text}`);
      else assertMatches(answer, { status: 403, body: { code: "role" } });
    }
    const withoutFactor = await ask("OWNER without factor");
    if (stepUp === true) assertMatches(withoutFactor, { status: 403, body: { code: "step_up_required" } });
    else assert.notEqual(withoutFactor.status, 403, withoutFactor.text);
    assert.ok(![401, 403].includes((await ask("key")).status));
  });
}

test("endpoints of both formats are made with their secrets once, listed newest first, and counted together", async (t) => {
  const world = await open(t);
  const { send, register, advance } = world;
  const first = await made(world, { events: ["payment_link.paid", "payment_link.paid"], description: "Order system" });
  assert.match(first.secret, /^whsec_[A-Za-z0-9+/=]{44}$/);
  advance(1_000);
  const ofPlatform = await register("https://shop.example/plugin", { events: ["invoice.paid"] });
  advance(1_000);
  const second = await made(world, { format: "platform", events: ["charge.refunded"] });
  const list = await send("GET", "/webhooks");
  assertMatches(list, {
    status: 200,
    body: {
      data: {
        items: [
          { id: second.id, format: "platform", events: ["charge.refunded"] },
          { id: ofPlatform.id, format: "platform", events: ["invoice.paid"] },
          { id: first.id, format: "portal", events: ["payment_link.paid"], description: "Order system", status: "enabled", url: URL },
        ],
        max: WEBHOOK_ENDPOINTS_MAX,
        events: { portal: [...PORTAL_EVENT_TYPES], platform: [...PLATFORM_EVENT_TYPES] },
      },
    },
  });
  assert.ok(!list.text.includes("whsec_"));
  for (let count = 3; count < WEBHOOK_ENDPOINTS_MAX; count += 1) await made(world);
  assertMatches(await send("POST", "/webhooks", { body: { url: URL, events: ["*"] } }), { status: 409, body: { code: "endpoints_full" } });
  await made(world, {}, "other key");
});

test("addresses and events that cannot be are refused with the member's name, and nothing is made", async (t) => {
  const world = await open(t);
  const { send } = world;
  const refused: [body: object, why: RegExp, who?: Who][] = [
    [{ url: "shop.example", events: ["*"] }, /url/],
    [{ url: "ftp://shop.example", events: ["*"] }, /url/],
    [{ url: "https://user:password@shop.example", events: ["*"] }, /url/],
    [{ url: "https://shop.example/a b", events: ["*"] }, /url/],
    [{ url: "https://shop.example/4111111111111111", events: ["*"] }, /url/],
    [{ url: "http://shop.example", events: ["*"] }, /url: must be https/, "live key"],
    [{ url: "https://169.254.169.254/", events: ["*"] }, /url: must not be an address of a local network/],
    [{ url: URL, events: [] }, /events/],
    [{ url: URL, events: ["payment_intent.succeeded"] }, /events: the format portal has no event/],
    [{ url: URL, events: ["payment_link.paid"], format: "platform" }, /events: the format platform has no event/],
    [{ url: URL, events: ["*"], format: "other" }, /format/],
    [{ url: URL, events: ["*"], merchantId: "M2" }, /merchantId/],
    [{ url: URL, events: ["*"], description: "x".repeat(256) }, /description/],
    [{ events: ["*"] }, /url/],
  ];
  for (const [body, why, who = "key"] of refused) {
    assertMatches(await send("POST", "/webhooks", { who, body }), { status: 400, body: { code: "invalid_request", error: why } });
  }
  assertMatches(await send("GET", "/webhooks"), { body: { data: { items: [] } } });
  assertMatches(await send("POST", "/webhooks", { who: "key", body: { url: "http://shop.example", events: ["*"] } }), { status: 201 });
});

test("an endpoint is changed member by member, and not by who has not seen it as it is", async (t) => {
  const world = await open(t);
  const { send, register, webhookEndpoints: all } = world;
  const { id } = await made(world);
  const seen = textMember((await send("PATCH", `/webhooks/${id}`, { body: { description: "one" } })).body, "data", "updatedAt");
  assertMatches(await send("PATCH", `/webhooks/${id}`, { body: { description: null, seen } }), {
    status: 200,
    body: { data: { description: null, url: URL, events: ["*"], status: "enabled" } },
  });
  assertMatches(await send("PATCH", `/webhooks/${id}`, { body: { status: "disabled", seen } }), {
    status: 409,
    body: { code: "conflict" },
  });
  assertMatches(await send("PATCH", `/webhooks/${id}`, { body: { status: "disabled" } }), { body: { data: { status: "disabled" } } });
  assertMatches(await send("PATCH", `/webhooks/${id}`, { body: { status: "enabled", url: "https://other.example/" } }), {
    body: { data: { status: "enabled", url: "https://other.example/" } },
  });
  for (const body of [
    {},
    { seen },
    { url: "nothing" },
    { events: ["charge.refunded"] },
    { status: "off" },
    { seen: "yesterday", status: "enabled" },
    { format: "platform" },
  ]) {
    assertMatches(await send("PATCH", `/webhooks/${id}`, { body }), { status: 400, body: { code: "invalid_request" } });
  }
  // The platform's interface takes any name: those stay, others do not come.
  const plugin = await register("https://shop.example/plugin", { events: ["invoice.paid"] });
  assertMatches(await send("PATCH", `/webhooks/${plugin.id}`, { body: { events: ["invoice.paid", "charge.refunded"] } }), { status: 200 });
  assertMatches(await send("PATCH", `/webhooks/${plugin.id}`, { body: { events: ["customer.created"] } }), { status: 400 });
  assert.deepEqual((await all.find(MERCHANT, false, plugin.id))?.events, ["invoice.paid", "charge.refunded"]);
});

test("a secret is replaced: the answer has the new one and until when the former signs", async (t) => {
  const world = await open(t);
  const { send, advance, clock } = world;
  const { id, secret } = await made(world);
  const rotated = await send("POST", `/webhooks/${id}/rotate-secret`, { who: "OWNER" });
  assertMatches(rotated, {
    status: 200,
    body: { data: { endpoint: { formerSecretUntil: new Date(clock.nowMs() + 86_400_000).toISOString() }, secret: /^whsec_/ } },
  });
  assert.notEqual(textMember(rotated.body, "data", "secret"), secret);
  advance(86_400_001);
  assertMatches(await send("GET", "/webhooks"), { body: { data: { items: [{ formerSecretUntil: null }] } } });
});

test("another merchant's, and the other environment's, endpoints and deliveries are not there", async (t) => {
  const world = await open(t);
  const { send, happen, settle } = world;
  const { id } = await made(world);
  await happen(portal("a"));
  await settle();
  const deliveryId = `${portal("a").id}.${id}`;
  for (const who of ["other key", "live key"] as const) {
    for (const [method, path, body] of [
      ["PATCH", `/webhooks/${id}`, { status: "disabled" }],
      ["DELETE", `/webhooks/${id}`],
      ["POST", `/webhooks/${id}/rotate-secret`],
      ["POST", `/webhooks/${id}/test`],
      ["GET", `/webhooks/deliveries/${deliveryId}`],
      ["POST", `/webhooks/deliveries/${deliveryId}/resend`],
      ["POST", "/webhooks/deliveries/resend-failed", { endpointId: id }],
    ] as const) {
      assertMatches(await send(method, path, { who, body }), { status: 404, body: { code: "not_found" } });
    }
    for (const path of [
      "/webhooks",
      "/webhooks/deliveries",
      `/webhooks/deliveries?endpointId=${id}`,
      "/webhooks/deliveries?objectId=pi_a",
    ]) {
      assertMatches(await send("GET", path, { who }), { status: 200, body: { data: { items: [] } } });
    }
  }
  assertMatches(await send("GET", "/webhooks"), { body: { data: { items: [{ id, status: "enabled", formerSecretUntil: null }] } } });
});

test("a delivery is shown with its body as it was posted and what was answered; who sees no personal data sees no addresses of people", async (t) => {
  const world = await open(t);
  const { send, happen, settle, behaviour, posted, tick, advance } = world;
  const { id } = await made(world);
  behaviour.answer = async () => answered(500, "no ada@example.org here, nor 4111111111111111");
  await happen(portal("a", 1, { receipt: "ada@example.org", note: "at 9:00" }));
  await tick();
  behaviour.answer = async () => ({ type: "failed", reason: "connection refused", durationMs: 2 });
  advance(6_000);
  await tick();
  const path = `/webhooks/deliveries/${portal("a").id}.${id}`;
  const shown = await send("GET", path);
  assertMatches(shown, {
    status: 200,
    body: {
      data: {
        ...{
          eventType: "payment.succeeded",
          endpointId: id,
          url: URL,
          objectId: "pi_a",
          outcome: "PENDING",
          attempts: 2,
          lastStatus: null,
        },
        body: posted[0]?.body ?? "",
        tries: [
          { status: 500, ms: 3, problem: null, answer: /^no ada@example\.org here, nor (?!4111111111111111)/ },
          { status: null, answer: null, problem: "connection refused" },
        ],
      },
    },
  });
  for (const who of ["OWNER", "ADMIN"] as const) assert.ok((await send("GET", path, { who })).text.includes("ada@example.org"));
  const masked = await send("GET", path, { who: "DEVELOPER" });
  assert.ok(!masked.text.includes("ada@example.org"), masked.text);
  assert.ok(masked.text.includes("a***@example.org") && masked.text.includes("at 9:00"));
  await settle();
});

test("who sees no personal data does not see in a body where something is sent to either, and the rest as it was posted", async (t) => {
  const world = await open(t);
  const { send, happen, settle, posted, tick } = world;
  const { id } = await made(world);
  const address = { city: "Turin", country: "IT", line1: "Via Po 1", line2: null, postal_code: "10123", state: "" };
  const object = {
    ...{ id: "pi_a", object: "payment_intent", metadata: { order: "7" } },
    shipping: { address, carrier: "Courier", name: "Ada Lovelace", phone: "+39 011 1234567", tracking_number: null },
    billing_details: { address: null, email: "ada@example.org", name: "Ada Lovelace", phone: null, tax_id: null },
  };
  await happen(portal("a", 1, object));
  await tick();
  const path = `/webhooks/deliveries/${portal("a").id}.${id}`;
  assert.ok((await send("GET", path, { who: "OWNER" })).text.includes("Ada Lovelace"));
  const shown = await send("GET", path, { who: "DEVELOPER" });
  for (const word of ["Ada", "ada@", "1234567", "Via Po", "Turin", "10123"]) assert.ok(!shown.text.includes(word), word);
  const body = JSON.parse(textMember(member(shown.body, "data"), "body"));
  assert.deepEqual(Object.keys(body), Object.keys(JSON.parse(posted[0]?.body ?? "{}")));
  assert.ok(JSON.stringify(body).includes('"metadata":{"order":"7"}'));
  assert.ok(JSON.stringify(body).includes('"line2":null,"postal_code":"****","state":""'));
  await settle();
});

test("deliveries are listed in pages, by filters of the address, and a cursor of another list is refused", async (t) => {
  const world = await open(t);
  const { send, happen, settle } = world;
  const { id } = await made(world);
  for (let index = 0; index < 5; index += 1) {
    await happen(portal(`${index}`));
    await settle();
  }
  const seen: unknown[] = [];
  for (let cursor = ""; ; ) {
    const page = await send("GET", `/webhooks/deliveries?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    assert.equal(page.status, 200, page.text);
    seen.push(...listOf(member(page.body, "data", "items")).map((item) => member(item, "objectId")));
    const next = member(page.body, "data", "next");
    if (typeof next !== "string") break;
    cursor = next;
  }
  assert.deepEqual(seen, ["pi_4", "pi_3", "pi_2", "pi_1", "pi_0"]);
  assertMatches(await send("GET", `/webhooks/deliveries?objectId=pi_2&outcome=DELIVERED&endpointId=${id}&eventType=payment.succeeded`), {
    body: { data: { items: [{ objectId: "pi_2", outcome: "DELIVERED", lastStatus: 200, nextAttemptAt: null }], next: null } },
  });
  assertMatches(await send("GET", "/webhooks/deliveries?outcome=FAILED"), { body: { data: { items: [] } } });
  for (const query of [
    ...["outcome=done", "limit=0", "limit=201", "endpointId=we_1", "cursor=x", `objectId=${"x".repeat(101)}`],
    `cursor=${Buffer.from("1/evt_1.we_1").toString("base64url")}`,
    `cursor=${Buffer.from(`99999999999999/evt_${NOBODY}.we_${NOBODY}`).toString("base64url")}`,
  ]) {
    assertMatches(await send("GET", `/webhooks/deliveries?${query}`), { status: 400, body: { code: "invalid_request" } });
  }
});

test("a resend, a resend of all that failed, and a test are answered as what they have done", async (t) => {
  const world = await open(t);
  const { send, happen, settle, behaviour, posted, tick, advance, deliveries } = world;
  const { id } = await made(world);
  behaviour.answer = async () => answered(500);
  await happen(portal("a"), portal("b"));
  do {
    await tick();
    advance(4_000_000);
  } while ((await deliveries.count("waiting", 1)) > 0);
  behaviour.answer = async () => OK;
  const path = `/webhooks/deliveries/${portal("a").id}.${id}`;
  assertMatches(await send("POST", `${path}/resend`), { status: 200, body: { data: { outcome: "PENDING", attempts: 6 } } });
  await settle();
  assertMatches(await send("POST", "/webhooks/deliveries/resend-failed", { body: {} }), {
    status: 200,
    body: { data: { resent: 1, skipped: 0, more: false, next: null } },
  });
  await settle();
  assert.equal(posted.length, 14);
  for (const body of [{ endpointId: "x" }, { cursor: "x" }, { merchantId: "M2" }]) {
    assertMatches(await send("POST", "/webhooks/deliveries/resend-failed", { body }), { status: 400 });
  }
  assertMatches(await send("POST", `/webhooks/${id}/test`), {
    status: 200,
    body: { data: { eventType: "webhook.test", outcome: "PENDING" } },
  });
  const again = await send("POST", `/webhooks/${id}/test`);
  assertMatches(again, { status: 429, body: { code: "rate_limited" } });
  assert.ok(Number(again.headers.get("retry-after")) > 0);
  await send("PATCH", `/webhooks/${id}`, { body: { status: "disabled" } });
  assertMatches(await send("POST", `/webhooks/${id}/test`), { status: 409, body: { code: "endpoint_disabled" } });
  assertMatches(await send("POST", `${path}/resend`), { status: 409, body: { code: "endpoint_disabled" } });
  assertMatches(await send("DELETE", `/webhooks/${id}`), { status: 200, body: { data: { id } } });
  assertMatches(await send("DELETE", `/webhooks/${id}`), { status: 404 });
  assertMatches(await send("GET", path), { status: 200, body: { data: { url: null } } });
});
