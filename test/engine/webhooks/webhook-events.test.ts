import assert from "node:assert/strict";
import { test } from "node:test";
import type { PageQuery } from "../../../engine/kernel/page.ts";
import { WEBHOOK_EVENT_LIFETIME_MS } from "../../../engine/webhooks/webhook-event.ts";
import { answered, event, MERCHANT, OK, PARTNER, START_MS, world } from "./webhook-world.ts";

const ALL: PageQuery & { types: readonly string[] | null } = {
  ...{ limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null },
  types: null,
};

test("a merchant's events are listed newest first, in pages of both directions, by type and by time", async () => {
  const { happen, webhookEvents } = world();
  const types = ["payment_intent.succeeded", "charge.refunded"];
  const all = Array.from({ length: 6 }, (_, index) =>
    event(`${index}`, 1, { createdAtMs: START_MS + index, type: types[index % 2] ?? "" }),
  );
  await happen(
    ...all,
    event("live", 1, { livemode: true }),
    event("other", 1, { merchantId: "M2" }),
    event("portal", 1, { format: "portal" }),
  );
  const id = (index: number) => all[index]?.id ?? "";
  const page = async (query: Partial<typeof ALL>) => {
    const found = await webhookEvents.list("M1", false, { ...ALL, ...query });
    return found === null ? null : [found.items.map((shown) => all.findIndex((one) => one.id === shown.event.id)), found.hasMore];
  };
  assert.deepEqual(await page({}), [[5, 4, 3, 2, 1, 0], false]);
  assert.deepEqual(await page({ limit: 2 }), [[5, 4], true]);
  assert.deepEqual(await page({ limit: 2, startingAfter: id(4) }), [[3, 2], true]);
  assert.deepEqual(await page({ limit: 4, startingAfter: id(4) }), [[3, 2, 1, 0], false]);
  assert.deepEqual(await page({ limit: 2, endingBefore: id(2) }), [[4, 3], true]);
  assert.deepEqual(await page({ limit: 3, endingBefore: id(2) }), [[5, 4, 3], false]);
  assert.deepEqual(await page({ types: ["charge.refunded"], limit: 2 }), [[5, 3], true]);
  assert.deepEqual(await page({ types: ["charge.captured"] }), [[], false]);
  assert.deepEqual(await page({ fromMs: START_MS + 2, beforeMs: START_MS + 4 }), [[3, 2], false]);
  assert.equal(await page({ startingAfter: event("live", 1).id }), null);
});

test("of a hundred events of one millisecond pages leave none out and repeat none", async () => {
  const { happen, webhookEvents } = world();
  const all = Array.from({ length: 100 }, (_, index) => event(`${index}`));
  await happen(...all);
  const seen: string[] = [];
  for (let hasMore = true; hasMore; ) {
    const page = await webhookEvents.list("M1", false, { ...ALL, limit: 7, startingAfter: seen.at(-1) ?? null });
    assert.ok(page !== null);
    seen.push(...page.items.map((shown) => shown.event.id));
    hasMore = page.hasMore;
  }
  assert.deepEqual([...seen].sort(), all.map(({ id }) => id).sort());
});

test("an event is not shown to another merchant, in the other environment, or after thirty days", async () => {
  const { happen, webhookEvents, advance } = world();
  await happen(event("1"));
  const { id } = event("1");
  assert.deepEqual((await webhookEvents.find("M1", false, id))?.event, event("1"));
  assert.equal(await webhookEvents.find("M2", false, id), null);
  assert.equal(await webhookEvents.find("M1", true, id), null);
  assert.equal(await webhookEvents.retry("M2", false, id, null), null);
  assert.deepEqual(await webhookEvents.deliveries("M2", false, id), []);
  assert.equal(await webhookEvents.find("M1", false, "evt_x"), null);
  advance(WEBHOOK_EVENT_LIFETIME_MS);
  assert.equal(await webhookEvents.find("M1", false, id), null);
});

test("a merchant has an event sent again: to one endpoint, to all of its own, also to one that came later", async () => {
  const { happen, register, tick, posted, webhookEvents, webhookEndpoints } = world();
  const [one, other] = [await register("https://one.example/"), await register("https://other.example/")];
  await register("https://partner.example/", {}, PARTNER);
  const { id } = event("1");
  await happen(event("1"));
  await tick();
  assert.equal(posted.length, 3);
  assert.equal((await webhookEvents.retry("M1", false, id, one.id))?.pending, 1);
  await tick();
  assert.deepEqual(
    posted.slice(3).map(({ url }) => url),
    ["https://one.example/"],
  );
  const later = await register("https://later.example/");
  await webhookEvents.retry("M1", false, id, later.id);
  await tick();
  assert.deepEqual(
    posted.slice(4).map(({ url }) => url),
    ["https://later.example/"],
  );
  await webhookEvents.retry("M1", false, id, null);
  await tick();
  assert.deepEqual(
    posted
      .slice(5)
      .map(({ url }) => url)
      .sort(),
    ["https://later.example/", "https://one.example/", "https://other.example/"],
  );
  await webhookEndpoints.change(MERCHANT, false, other.id, { disabled: true });
  assert.equal(await webhookEvents.retry("M1", false, id, other.id), null);
  assert.equal(await webhookEvents.retry("M1", false, id, "we_000000000000000000000000"), null);
});

test("one that is sent again has all its attempts again, and keeps those before", async () => {
  const { happen, register, tick, advance, behaviour, webhookEvents, deliveries } = world();
  await register("https://shop.example/");
  behaviour.answer = async () => answered(500);
  await happen(event("1"));
  for (let round = 0; round < 20; round += 1) await tick(600_000);
  assert.equal(await deliveries.count("dead", 10), 1);
  await webhookEvents.retry("M1", false, event("1").id, null);
  for (let round = 0; round < 20; round += 1) await tick(600_000);
  const [delivery] = await webhookEvents.deliveries("M1", false, event("1").id);
  assert.deepEqual([delivery?.state, delivery?.attemptsMade, delivery?.attempts.length], ["dead", 6, 12]);
  behaviour.answer = async () => OK;
  // Its event is not shown any more, but is kept with it.
  advance(2 * WEBHOOK_EVENT_LIFETIME_MS);
  assert.equal(await webhookEvents.find("M1", false, event("1").id), null);
});

const EVERYBODYS = { type: "all" } as const;

test("an administrator sees what goes to a merchant's own endpoints, or to one", async () => {
  const { happen, register, tick, administer, webhookEndpoints } = world();
  const [first, second] = [await register("https://one.example/"), await register("https://two.example/")];
  const other = await register("https://other.example/", {}, { type: "merchant", merchantId: "M2" });
  const partners = await register("https://partner.example/", {}, PARTNER);
  await happen(event("1"), event("2", 1, { merchantId: "M2" }));
  await tick();
  const to = async (type: "merchant" | "endpoint", id: string) =>
    (await administer.deliveries("delivered", { type, id }, null, 10)).map(({ endpointId }) => endpointId).sort();
  assert.deepEqual(await to("merchant", "M1"), [first.id, second.id].sort());
  assert.deepEqual(await to("merchant", "M2"), [other.id]);
  assert.deepEqual(await to("merchant", "M"), []);
  assert.deepEqual(await to("endpoint", partners.id), [partners.id, partners.id]);
  await webhookEndpoints.remove(MERCHANT, false, first.id);
  assert.deepEqual(await to("merchant", "M1"), [second.id]);
  assert.deepEqual(await to("endpoint", first.id), [first.id], "its endpoint is gone, its deliveries are not");
  assert.deepEqual(
    (await administer.endpoints("M1", null, 10)).map(({ id }) => id),
    [second.id],
  );
});

test("an administrator sends a dead one again, unless its endpoint takes nothing", async () => {
  const { happen, register, tick, behaviour, administer, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/");
  behaviour.answer = async () => answered(500);
  await happen(event("1"), event("2"));
  for (let round = 0; round < 20; round += 1) await tick(600_000);
  const [first, ...more] = await administer.deliveries("dead", EVERYBODYS, null, 1);
  assert.equal(more.length, 0);
  const [second] = await administer.deliveries("dead", EVERYBODYS, first?.id ?? null, 10);
  assert.ok(first !== undefined && second !== undefined && first.id !== second.id);
  assert.equal((await administer.resend(first.id))?.state, "waiting");
  await webhookEndpoints.change(MERCHANT, false, id, { disabled: true });
  await assert.rejects(administer.resend(second.id), { code: "conflict" });
  assert.equal(await administer.resend("unknown"), null);
  await assert.rejects(administer.deliveries("dead", EVERYBODYS, "unknown", 10), { code: "invalid_request" });
  assert.deepEqual(
    (await administer.endpoints(null, null, 10)).map((endpoint) => endpoint.id),
    [id],
  );
});
