import assert from "node:assert/strict";
import { test } from "node:test";
import { freshDelivery, WEBHOOK_LEASE_MS, WEBHOOK_PAUSES_MS } from "../../../engine/webhooks/webhook-delivery.ts";
import type { WebhookEndpointRecord } from "../../../engine/webhooks/webhook-endpoint.ts";
import { keptEventOperation } from "../../../engine/webhooks/webhook-event-store.ts";
import { eventually } from "../../support/within.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";
import { answered, event, MERCHANT, OK, PARTNER, START_MS, turn, world } from "./webhook-world.ts";

const HOUR_MS = 3_600_000;

test("an event is posted once to each endpoint that wants it, and is delivered", async () => {
  const { register, happen, tick, posted, webhookEvents } = world();
  await register("https://shop.example/all");
  await register("https://shop.example/named", { events: ["charge.refunded", "payment_intent.succeeded"] });
  await register("https://shop.example/other", { events: ["charge.refunded"] });
  await register("https://shop.example/live", { livemode: true });
  await register("https://shop.example/portal", { format: "portal" });
  await register("https://partner.example/", {}, PARTNER);
  await register("https://other-merchant.example/", {}, { type: "merchant", merchantId: "M2" });
  await register("https://other-partner.example/", {}, { type: "partner", partnerId: 8 });
  const succeeded = event("1");
  await happen(succeeded);
  for (let round = 0; round < 3; round += 1) await tick();
  assert.deepEqual(posted.map(({ url }) => url).sort(), [
    "https://partner.example/",
    "https://shop.example/all",
    "https://shop.example/named",
  ]);
  const bodies = posted.map(({ body }) => JSON.parse(body));
  assert.deepEqual(new Set(bodies.map(({ pending_webhooks }) => pending_webhooks)), new Set([3]));
  assert.deepEqual(
    (await webhookEvents.deliveries("M1", false, succeeded.id)).map(({ state, attempts }) => [state, attempts.length]),
    [
      ["delivered", 1],
      ["delivered", 1],
    ],
    "the partner's is not shown to the merchant",
  );
});

test("a failure is tried again after growing pauses, each attempt is kept, then it is dead and rests", async () => {
  const { register, happen, tick, advance, posted, told, behaviour, webhookEvents, administer, deliveries } = world();
  await register("https://shop.example/");
  behaviour.answer = async () => answered(500, "no 4111111111111111");
  const failing = event("1");
  await happen(failing);
  await tick();
  assert.equal(posted.length, 1);
  for (const [index, pauseMs] of WEBHOOK_PAUSES_MS.entries()) {
    advance(pauseMs - 2_000);
    await tick();
    assert.equal(posted.length, index + 1, "not before its time");
    advance(pauseMs / 10 + 2_000);
    await tick();
    assert.equal(posted.length, index + 2);
  }
  assert.match(told.at(-1) ?? "", /^dead .* 6$/);
  const [dead] = await webhookEvents.deliveries("M1", false, failing.id);
  assert.equal(dead?.state, "dead");
  assert.deepEqual(
    dead?.attempts.map(({ atMs }) => atMs),
    posted.map(({ atMs }) => atMs),
  );
  assert.deepEqual(dead?.attempts[0], { atMs: START_MS, durationMs: 3, status: 500, answer: "no 411111******1111", error: "answered 500" });
  assert.equal((await webhookEvents.find("M1", false, failing.id))?.pending, 0);
  advance(86_400_000);
  await tick();
  assert.equal(posted.length, 6);
  assert.deepEqual(
    (await administer.deliveries("dead", { type: "all" }, null, 10)).map(({ id }) => id),
    [dead?.id],
  );
  behaviour.answer = async () => OK;
  assert.equal((await administer.resend(dead?.id ?? ""))?.attemptsMade, 0);
  await tick();
  assert.equal((await deliveries.load(dead?.id ?? ""))?.record.state, "delivered");
  assert.deepEqual(
    [await deliveries.count("dead", 10), await deliveries.count("waiting", 10), await deliveries.count("delivered", 10)],
    [0, 0, 1],
  );
});

test("a receiver that is down for an hour gets everything once it is back", async () => {
  const { register, happen, tick, clock, behaviour, posted, deliveries } = world();
  await register("https://shop.example/");
  const backMs = START_MS + HOUR_MS;
  behaviour.answer = async ({ atMs }) => (atMs < backMs ? { type: "failed", reason: "ECONNREFUSED", durationMs: 1 } : OK);
  const names = Array.from({ length: 20 }, (_, index) => event(`${index}`));
  await happen(...names);
  while (clock.nowMs() < backMs + 900_000) await tick(5_000);
  const succeeded = posted.filter(({ atMs }) => atMs >= backMs).map(({ body }) => JSON.parse(body).id);
  assert.deepEqual(succeeded.sort(), names.map(({ id }) => id).sort());
  assert.equal(await deliveries.count("delivered", 100), 20);
});

for (const status of [301, 302, 307, 308]) {
  test(`an answer of ${status} is a failure`, async () => {
    const { register, happen, tick, behaviour, deliveries } = world();
    await register("https://shop.example/");
    behaviour.answer = async () => answered(status);
    await happen(event("1"));
    await tick();
    const [waiting] = await deliveries.page("waiting", null, 10);
    assert.equal(waiting?.attempts.at(-1)?.error, `answered ${status}`);
  });
}

test("an answer of 410 disables the endpoint at once, and ends what waits for it", async () => {
  const { register, happen, tick, behaviour, posted, disabled, endpoints, deliveries } = world();
  const { id } = await register("https://shop.example/");
  await register("https://other.example/");
  behaviour.answer = async ({ url }) => (url.includes("shop") ? answered(410) : OK);
  await happen(event("1", 1), event("1", 2), event("1", 3));
  for (let round = 0; round < 4; round += 1) await tick();
  assert.equal(posted.filter(({ url }) => url.includes("shop")).length, 1);
  assert.deepEqual(disabled, [`${id} gone`]);
  assert.equal((await endpoints.load(id))?.record.status, "disabled");
  assert.deepEqual([await deliveries.count("canceled", 10), await deliveries.count("delivered", 10)], [3, 3]);
  await happen(event("2"));
  await tick();
  assert.equal(posted.filter(({ url }) => url.includes("shop")).length, 1, "it gets nothing any more");
});

test("an address that was changed while the former one answered 410 stays enabled", async () => {
  const { register, happen, tick, behaviour, webhookEndpoints, disabled, deliveries } = world();
  const { id } = await register("https://shop.example/old");
  behaviour.answer = async () => {
    await webhookEndpoints.change(MERCHANT, false, id, { url: "https://shop.example/new" });
    return answered(410);
  };
  await happen(event("1"));
  await tick();
  assert.deepEqual(disabled, []);
  assert.equal((await webhookEndpoints.find(MERCHANT, false, id))?.status, "enabled");
  assert.equal(await deliveries.count("waiting", 10), 1, "and gets it at its new address");
});

test("an endpoint that took nothing for five days is disabled, once twenty were given up", async () => {
  const { register, happen, settle, advance, clock, behaviour, disabled, endpoints } = world();
  const { id } = await register("https://shop.example/");
  behaviour.answer = async () => answered(500);
  let name = 0;
  const day = async (count: number) => {
    for (let one = 0; one < count; one += 1) {
      name += 1;
      await happen(event(`${name}`, 1, { createdAtMs: clock.nowMs() }));
    }
    for (let step = 0; step < 12; step += 1) {
      await settle();
      advance(700_000);
    }
    advance(86_400_000 - 12 * 700_000);
  };
  for (let count = 0; count < 5; count += 1) await day(3);
  assert.deepEqual(disabled, [], "fifteen in five days are too few");
  await day(4);
  assert.deepEqual(disabled, []);
  await day(1);
  assert.deepEqual(disabled, [`${id} failing`]);
  assert.equal((await endpoints.load(id))?.record.disabledReason, "failing");
});

test("one success in between, and the five days begin anew", async () => {
  const { register, happen, settle, advance, clock, behaviour, disabled } = world();
  await register("https://shop.example/");
  behaviour.answer = async ({ body }) => (JSON.parse(body).type === "charge.refunded" ? OK : answered(500));
  let name = 0;
  const day = async (count: number, type: string) => {
    for (let one = 0; one < count; one += 1) {
      name += 1;
      await happen(event(`${name}`, 1, { createdAtMs: clock.nowMs(), type }));
    }
    for (let step = 0; step < 12; step += 1) {
      await settle();
      advance(700_000);
    }
    advance(86_400_000 - 12 * 700_000);
  };
  for (let count = 0; count < 4; count += 1) await day(10, "payment_intent.succeeded");
  await day(1, "charge.refunded");
  for (let count = 0; count < 4; count += 1) await day(10, "payment_intent.succeeded");
  assert.deepEqual(disabled, []);
  for (let count = 0; count < 2; count += 1) await day(10, "payment_intent.succeeded");
  assert.equal(disabled.length, 1);
});

test("the events of one object are first tried in order, and one that failed holds up the next no longer", async () => {
  const { register, happen, tick, behaviour, posted } = world();
  await register("https://shop.example/");
  const release: (() => void)[] = [];
  behaviour.answer = () => new Promise((done) => release.push(() => done(answered(500))));
  await happen(event("a", 1), event("a", 2), event("a", 3), event("b", 1));
  await tick();
  const sent = () => posted.map(({ body }) => JSON.parse(body).id);
  assert.deepEqual(sent().sort(), [event("a", 1).id, event("b", 1).id].sort(), "another object's does not wait");
  await tick(600);
  assert.equal(posted.length, 2, "the second waits for the first attempt at the first");
  release[sent().indexOf(event("a", 1).id)]?.();
  await turn();
  await tick(600);
  assert.deepEqual(sent().slice(2), [event("a", 2).id]);
  release[2]?.();
  await turn();
  await tick(600);
  assert.deepEqual(sent().slice(3), [event("a", 3).id]);
});

test("a hundred events of one object in one millisecond arrive in order", async () => {
  const { register, happen, tick, posted } = world();
  await register("https://shop.example/");
  const all = Array.from({ length: 100 }, (_, index) => event("a", index + 1));
  await happen(...all);
  for (let round = 0; round < 110; round += 1) await tick();
  assert.deepEqual(
    posted.map(({ body }) => JSON.parse(body).id),
    all.map(({ id }) => id),
  );
});

test("an endpoint with a hundred thousand due deliveries that does not answer hides nobody, and is taken past in one step", async () => {
  const { kv, register, endpoints, deliveries, happen, tick, behaviour, posted } = world();
  const stuck = await endpoints.load((await register("https://stuck.example/")).id);
  assert.ok(stuck !== null);
  await register("https://other.example/", {}, { type: "merchant", merchantId: "M2" });
  await fill(kv, deliveries, stuck.record, 100_000);
  const scans: number[] = [];
  if (kv instanceof MemoryKv) {
    const scan = kv.scan.bind(kv);
    kv.scan = async (range) => {
      const found = await scan(range);
      if (range.from.startsWith("webhook-due/")) scans.push(found.length);
      return found;
    };
  }
  behaviour.answer = ({ url }) => (url.includes("stuck") ? new Promise(() => undefined) : Promise.resolve(OK));
  await happen(event("new", 1, { merchantId: "M2" }));
  await tick();
  await tick();
  assert.equal(posted.filter(({ url }) => url.includes("other")).length, 1);
  assert.equal(posted.filter(({ url }) => url.includes("stuck")).length, 8);
  assert.ok(scans.length <= 8, `${scans.length} reads of the index`);
});

for (const { what, wait } of [
  { what: "failed", wait: 0 },
  { what: "took long", wait: 4_000 },
])
  test(`half of all places are kept from endpoints whose last attempts ${what}`, async () => {
    const { register, happen, tick, advance, behaviour, posted } = world();
    for (let merchant = 0; merchant < 200; merchant += 1) {
      await register("https://slow.example/", {}, { type: "merchant", merchantId: `S${merchant}` });
    }
    await register("https://fast.example/", {}, { type: "merchant", merchantId: "F" });
    const slow = (sequence: number) => Array.from({ length: 200 }, (_, index) => event(`s${index}`, sequence, { merchantId: `S${index}` }));
    behaviour.answer = async () => {
      advance(wait);
      return wait === 0 ? { type: "failed", reason: "no answer", durationMs: 10_000 } : OK;
    };
    await happen(...slow(1));
    for (let round = 0; round < 6; round += 1) await tick(100);
    const before = posted.length;
    behaviour.answer = ({ url }) => (url.includes("slow") ? new Promise(() => undefined) : Promise.resolve(OK));
    await happen(...slow(2), ...slow(3));
    for (let round = 0; round < 10; round += 1) await tick(600);
    assert.equal(posted.length - before, 128);
    await happen(event("f", 1, { merchantId: "F" }));
    for (let round = 0; round < 4; round += 1) await tick(600);
    assert.ok(posted.some(({ url }) => url.includes("fast")));
  });

test("what a node took with it when it died is sent by another after the lease", async () => {
  const { register, happen, advance, behaviour, posted, machinery, deliveries } = world({ nodes: 2 });
  await register("https://shop.example/");
  await happen(event("1"));
  behaviour.answer = () => new Promise(() => undefined);
  machinery[0]?.fanOut.tick();
  await turn();
  machinery[0]?.sender.tick();
  await eventually(() => assert.equal(posted.length, 1));
  behaviour.answer = async () => OK;
  advance(WEBHOOK_LEASE_MS - 1_000);
  machinery[1]?.sender.tick();
  await turn();
  assert.equal(posted.length, 1, "it may still be at it");
  advance(2_000);
  machinery[1]?.sender.tick();
  await turn();
  assert.equal(posted.length, 2);
  assert.equal(await deliveries.count("delivered", 10), 1);
});

test("of four nodes that all believe to be home each delivery is sent by one", async () => {
  const { register, happen, tick, posted } = world({ nodes: 4 });
  for (let index = 0; index < 10; index += 1) await register(`https://shop.example/${index}`);
  await happen(...Array.from({ length: 10 }, (_, index) => event(`${index}`)));
  for (let round = 0; round < 6; round += 1) await tick();
  assert.equal(posted.length, 100);
});

test("a node sends to its own endpoints only", async () => {
  const { register, happen, tick, posted, machinery } = world({ nodes: 2, mine: (node, id) => (node === 0) === id.startsWith("fan-out") });
  await register("https://shop.example/");
  await happen(event("1"));
  machinery[0]?.fanOut.tick();
  await turn();
  machinery[0]?.sender.tick();
  await turn();
  assert.equal(posted.length, 0);
  assert.equal(machinery[0]?.sender.oldestDueMs(), null, "and what is another's is not counted as its own backlog");
  await tick();
  assert.equal(posted.length, 1);
});

test("it is told how long the oldest one is due", async () => {
  const { register, happen, tick, behaviour, machinery } = world();
  await register("https://shop.example/");
  behaviour.answer = () => new Promise(() => undefined);
  await happen(...Array.from({ length: 9 }, (_, index) => event(`${index}`)));
  await tick();
  await tick();
  assert.equal(machinery[0]?.sender.oldestDueMs(), START_MS, "the ninth has no room");
});

test("a webhook that cannot be signed is a failed attempt, and is reported", async () => {
  const { register, happen, tick, endpoints, deliveries, failures, posted } = world();
  const { id } = await register("https://shop.example/");
  const stored = await endpoints.load(id);
  assert.ok(stored !== null);
  await endpoints.replace(stored, { ...stored.record, secrets: [{ sealed: "box1.00000000.AA.AAAA", untilMs: null, madeBy: "operation" }] });
  await happen(event("1"));
  await tick();
  const [waiting] = await deliveries.page("waiting", null, 10);
  assert.equal(waiting?.attempts[0]?.error, "the delivery cannot be signed");
  assert.deepEqual([posted.length, failures.length], [0, 1]);
});

test("a partner without access gets nothing, and nothing stays owed to it", async () => {
  const { register, happen, tick, behaviour, deliveries, posted } = world();
  await register("https://partner.example/", {}, PARTNER);
  behaviour.partnerSecret = null;
  await happen(event("1"));
  await tick();
  assert.deepEqual([posted.length, await deliveries.count("canceled", 10)], [0, 1]);
});

/** The others are never tried, so they need no event. */
const TRIED_MAX = 100;

/** Due deliveries in the store, the first ones the longest. */
async function fill(
  kv: ReturnType<typeof world>["kv"],
  deliveries: ReturnType<typeof world>["deliveries"],
  endpoint: WebhookEndpointRecord,
  count: number,
): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    const stuck = event(`stuck${index}`);
    if (index < TRIED_MAX) await kv.commit({ checks: [], operations: [keptEventOperation(stuck, START_MS + HOUR_MS)] });
    await deliveries.create(freshDelivery(stuck, endpoint, { apiVersion: null, pendingWebhooks: 1, atMs: START_MS - count + index }));
  }
}
