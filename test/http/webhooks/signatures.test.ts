import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import Stripe from "stripe";
import { WEBHOOK_PAUSES_MS } from "../../../engine/webhooks/webhook-delivery.ts";
import { WIRE_NAMES } from "../../../http/compat/wire-names.ts";
import { answered, event, MERCHANT, PARTNER, PARTNER_SECRET, type Posted, world } from "../../engine/webhooks/webhook-world.ts";

const DAY_MS = 86_400_000;

/** Its types do not say that it is a module. */
const Stripe15: typeof Stripe = createRequire(import.meta.url)("stripe-15");

const CLIENTS = [
  { name: "the platform's library", client: new Stripe("sk_test_1") },
  { name: "an old version of it", client: new Stripe15("sk_test_1") },
];

/** As a receiver does with what it got at that time; throws where the signature does not hold or is too old. */
function verifiedByPlatform({ body, headers, atMs }: Posted, secret: string, { client } = CLIENTS[0] ?? assert.fail()) {
  const given = headers[WIRE_NAMES.signature] ?? "";
  return client.webhooks.constructEvent(body, given, secret, undefined, undefined, atMs);
}

function verifiedByStandard({ body, headers }: Posted, secret: string) {
  // Its own clock cannot be given: what it checks beside the signature is not what is tried here.
  const before = Date.now;
  Date.now = () => Number(headers["webhook-timestamp"]) * 1_000;
  try {
    return new Webhook(secret).verify(body, { ...headers });
  } finally {
    Date.now = before;
  }
}

function hmac(key: string, body: string): string {
  return createHmac("sha256", key).update(body).digest("hex");
}

test("every attempt, also those after more than five minutes, is verified by the platform's libraries and by Standard Webhooks", async () => {
  const { register, happen, tick, advance, behaviour, posted } = world();
  const { secret } = await register("https://shop.example/");
  behaviour.answer = async () => answered(500);
  await happen(event("1"));
  await tick();
  for (const pauseMs of WEBHOOK_PAUSES_MS) {
    advance(pauseMs * 1.1);
    await tick();
  }
  assert.equal(posted.length, 6);
  for (const attempt of posted) {
    for (const client of CLIENTS) assert.equal(verifiedByPlatform(attempt, secret, client).id, event("1").id);
    verifiedByStandard(attempt, secret);
    assert.equal(attempt.headers["X-Gateway-Signature"], hmac(secret, attempt.body));
    assert.equal(attempt.headers["webhook-id"], event("1").id);
    assert.doesNotMatch(attempt.headers[WIRE_NAMES.signature] ?? "", /\s/);
  }
  assert.equal(new Set(posted.map(({ body }) => body)).size, 1, "the same bytes each time");
  const [first, , , , , last] = posted;
  assert.ok(first !== undefined && last !== undefined);
  assert.throws(() => verifiedByPlatform({ ...first, atMs: last.atMs }, secret), /outside the tolerance/);
  assert.throws(() => verifiedByPlatform({ ...first, body: first.body.replace("succeeded", "failed") }, secret), /signature/);
  assert.throws(() => verifiedByPlatform(first, `${secret}x`), /signature/);
});

test("a secret that is rolled between two attempts: both sign until the overlap ends, then the new one alone", async () => {
  const { register, happen, tick, advance, behaviour, posted, webhookEndpoints } = world();
  const { id, secret: former } = await register("https://shop.example/");
  behaviour.answer = async () => answered(500);
  await happen(event("1"));
  await tick();
  const rolled = await webhookEndpoints.rollSecret(MERCHANT, false, id, DAY_MS, "roll");
  assert.ok(rolled !== null && rolled.secret !== former);
  advance(6_000);
  await tick();
  advance(DAY_MS);
  await tick();
  const [before, during, after] = posted;
  assert.ok(before !== undefined && during !== undefined && after !== undefined);
  assert.throws(() => verifiedByPlatform(before, rolled.secret));
  for (const secret of [former, rolled.secret]) {
    assert.equal(verifiedByPlatform(during, secret).id, event("1").id);
    verifiedByStandard(during, secret);
  }
  assert.equal(during.headers["X-Gateway-Signature"], hmac(former, during.body), "it has room for one, which the receiver knows");
  assert.throws(() => verifiedByPlatform(after, former));
  assert.throws(() => verifiedByStandard(after, former));
  assert.equal(verifiedByPlatform(after, rolled.secret).id, event("1").id);
  assert.equal(after.headers["X-Gateway-Signature"], hmac(rolled.secret, after.body));
});

test("the body is the platform's event", async () => {
  const { register, happen, tick, posted } = world();
  await register("https://shop.example/", { apiVersion: "2026-03-25.dahlia" });
  const changed = event("1", 1, {
    data: { object: { id: "pi_1" }, previous_attributes: { amount: 5 } },
    request: { id: "req_1", idempotencyKey: "key-1" },
  });
  await happen(changed);
  await tick();
  assert.deepEqual(JSON.parse(posted[0]?.body ?? ""), {
    id: changed.id,
    object: "event",
    api_version: "2026-03-25.dahlia",
    created: 1_700_000_000,
    data: { object: { id: "pi_1" }, previous_attributes: { amount: 5 } },
    livemode: false,
    pending_webhooks: 1,
    request: { id: "req_1", idempotency_key: "key-1" },
    type: "payment_intent.succeeded",
  });
});

test("a partner's webhook names the merchant, and is signed with the partner's secret alone", async () => {
  const { register, happen, tick, posted } = world();
  const { secret } = await register("https://partner.example/", {}, PARTNER);
  assert.equal(secret, "");
  await happen(event("1"));
  await tick();
  const [attempt] = posted;
  assert.ok(attempt !== undefined);
  assert.equal(JSON.parse(attempt.body).merchantId, "M1");
  assert.deepEqual(attempt.headers, { "X-Gateway-Signature": hmac(PARTNER_SECRET, attempt.body) });
});

test("our own format has an envelope of its own, and never the platform's signature", async () => {
  const { register, happen, tick, advance, behaviour, posted, webhookEndpoints } = world();
  const { id, secret: former } = await register("https://shop.example/", { format: "portal", events: ["payment.succeeded"] });
  const paid = event("1", 2, { format: "portal", type: "payment.succeeded", data: { object: { uuid: "pi_1", status: "SUCCEEDED" } } });
  behaviour.answer = async () => answered(500);
  await happen(paid, event("1", 1, { format: "portal", type: "payment.failed" }), event("2"));
  await tick();
  const rolled = await webhookEndpoints.rollSecret(MERCHANT, false, id, DAY_MS, "roll");
  assert.ok(rolled !== null);
  advance(6_000);
  await tick();
  advance(DAY_MS);
  await tick();
  const [before, during, after, ...more] = posted;
  assert.ok(before !== undefined && during !== undefined && after !== undefined);
  assert.deepEqual(more, [], "neither another type of event, nor another format's");
  assert.deepEqual(JSON.parse(before.body), {
    id: paid.id,
    type: "payment.succeeded",
    createdAt: "2023-11-14T22:13:20.000Z",
    merchantId: "M1",
    livemode: false,
    objectId: "pi_1",
    sequence: 2,
    data: { object: { uuid: "pi_1", status: "SUCCEEDED" } },
  });
  for (const { headers } of posted) {
    assert.deepEqual(Object.keys(headers).sort(), ["X-Gateway-Signature", "webhook-id", "webhook-signature", "webhook-timestamp"]);
  }
  assert.equal(new Set(posted.map(({ body }) => body)).size, 1, "the same bytes each time");
  assert.equal(before.headers["X-Gateway-Signature"], hmac(former, before.body));
  assert.equal(during.headers["X-Gateway-Signature"], hmac(former, during.body), "the former one until its overlap ends");
  assert.equal(after.headers["X-Gateway-Signature"], hmac(rolled.secret, after.body));
  for (const secret of [former, rolled.secret]) verifiedByStandard(during, secret);
  verifiedByStandard(after, rolled.secret);
  assert.throws(() => verifiedByStandard(after, former));
});
