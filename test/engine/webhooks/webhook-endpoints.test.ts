import assert from "node:assert/strict";
import { test } from "node:test";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { METADATA_KEYS_MAX, type MetadataChange, TooManyMetadataKeys } from "../../../engine/kernel/metadata.ts";
import type { PageQuery } from "../../../engine/kernel/page.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookOwner } from "../../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpoints } from "../../../engine/webhooks/webhook-endpoints.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { createWebhookSecrets } from "../../../http/webhooks/webhook-secrets.ts";
import { answered, event, MERCHANT, order, PARTNER, START_MS, world } from "./webhook-world.ts";

const ALL: PageQuery = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };
const DAY_MS = 86_400_000;

test("an endpoint is created once for its operation, with a secret that is not stored readably", async () => {
  const { webhookEndpoints, kv } = world();
  const first = await webhookEndpoints.create(MERCHANT, order("https://shop.example/"), "operation");
  const again = await webhookEndpoints.create(MERCHANT, order("https://shop.example/"), "operation");
  assert.deepEqual(again, first);
  assert.ok(first.type === "created");
  assert.match(first.endpoint.id, /^we_[a-z0-9]{24}$/);
  assert.match(first.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const stored = await kv.get(`webhook-endpoint/${first.endpoint.id}`);
  assert.ok(!stored?.value.includes(first.secret.slice(6, 20)));
});

test("a merchant has so many endpoints, also when all of them come at once, and room again when one is removed", async () => {
  const { webhookEndpoints } = world();
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, (_, index) => webhookEndpoints.create(MERCHANT, order("https://shop.example/"), `operation ${index}`)),
  );
  const created = outcomes.flatMap((outcome) => (outcome.type === "created" ? [outcome.endpoint.id] : []));
  assert.equal(created.length, WEBHOOK_ENDPOINTS_MAX);
  assert.equal(await webhookEndpoints.remove(MERCHANT, false, created[0] ?? ""), true);
  assert.equal(await webhookEndpoints.remove(MERCHANT, false, created[0] ?? ""), false);
  assert.equal((await webhookEndpoints.create(MERCHANT, order("https://shop.example/"), "another")).type, "created");
  assert.equal((await webhookEndpoints.create(MERCHANT, order("https://shop.example/"), "one too many")).type, "full");
  assert.equal((await webhookEndpoints.create(PARTNER, order("https://partner.example/"), "partner's")).type, "created");
});

for (const { url, livemode, taken } of [
  { url: "https://shop.example/hook?a=b", livemode: true, taken: true },
  { url: "http://shop.example/", livemode: true, taken: false },
  { url: "https://shop.example/\r\n", livemode: true, taken: false },
  { url: " https://shop.example/", livemode: true, taken: false },
  { url: "http://shop.example/", livemode: false, taken: true },
  { url: "https://user@shop.example/", livemode: false, taken: false },
  { url: "https://user:word@shop.example/", livemode: true, taken: false },
  { url: "ftp://shop.example/", livemode: false, taken: false },
  { url: "shop.example", livemode: false, taken: false },
  { url: "", livemode: false, taken: false },
  { url: "https://10.0.0.1/", livemode: true, taken: false },
  { url: "https://168.63.129.16/", livemode: true, taken: false },
  { url: "https://[::ffff:168.63.129.16]/", livemode: true, taken: false },
  { url: "https://[fd00::1]/", livemode: true, taken: false },
  { url: "https://0xa9fea9fe/", livemode: true, taken: false },
  // The test's world allows 127.0.0.0/8.
  { url: "http://127.0.0.1:4000/", livemode: false, taken: true },
  { url: "http://localhost:4000/", livemode: false, taken: true },
  { url: "http://[::1]:4000/", livemode: false, taken: false },
  { url: "https://8.8.8.8/", livemode: true, taken: true },
  { url: `https://shop.example/${"a".repeat(2_048)}`, livemode: false, taken: false },
]) {
  test(`${taken ? "takes" : "refuses"} ${url.slice(0, 40)} ${livemode ? "where money moves" : "for tests"}, new and as a change`, async () => {
    const { webhookEndpoints, register } = world();
    const create = webhookEndpoints.create(MERCHANT, order(url, { livemode }), "operation");
    const { id } = await register("https://shop.example/", { livemode });
    const change = () => webhookEndpoints.change(MERCHANT, livemode, id, { url });
    if (taken) {
      assert.equal((await create).type, "created");
      assert.equal((await change())?.url, url);
    } else {
      await assert.rejects(create, { code: "invalid_request" });
      await assert.rejects(change, { code: "invalid_request" });
    }
  });
}

test("another owner's endpoint, or one of the other environment, is not there", async () => {
  const { webhookEndpoints, register } = world();
  const { id } = await register("https://shop.example/");
  const others: [WebhookOwner, boolean, string][] = [
    [{ type: "merchant", merchantId: "M2" }, false, id],
    [PARTNER, false, id],
    [MERCHANT, true, id],
    [MERCHANT, false, "we_000000000000000000000000"],
    [MERCHANT, false, "../m/M1"],
  ];
  for (const [owner, livemode, named] of others) {
    assert.equal(await webhookEndpoints.find(owner, livemode, named), null);
    assert.equal(await webhookEndpoints.change(owner, livemode, named, { disabled: true }), null);
    assert.equal(await webhookEndpoints.remove(owner, livemode, named), false);
    assert.equal(await webhookEndpoints.rollSecret(owner, livemode, named, 0, "roll"), null);
    assert.equal(
      (await webhookEndpoints.list(owner, livemode, ALL))?.items.some((endpoint) => endpoint.id === named),
      false,
    );
  }
  assert.equal((await webhookEndpoints.find(MERCHANT, false, id))?.status, "enabled");
});

test("lists are newest first, and pages follow each other in both directions", async () => {
  const { webhookEndpoints, register, advance } = world();
  const ids: string[] = [];
  for (let index = 0; index < 5; index += 1) {
    ids.unshift((await register(`https://shop.example/${index}`)).id);
    advance(1_000);
  }
  const page = async (query: Partial<PageQuery>) => {
    const found = await webhookEndpoints.list(MERCHANT, false, { ...ALL, ...query });
    return found === null ? null : [found.items.map(({ id }) => ids.indexOf(id)), found.hasMore];
  };
  assert.deepEqual(await page({}), [[0, 1, 2, 3, 4], false]);
  assert.deepEqual(await page({ limit: 2 }), [[0, 1], true]);
  assert.deepEqual(await page({ limit: 2, startingAfter: ids[1] ?? "" }), [[2, 3], true]);
  assert.deepEqual(await page({ limit: 2, startingAfter: ids[3] ?? "" }), [[4], false]);
  assert.deepEqual(await page({ limit: 2, endingBefore: ids[3] ?? "" }), [[1, 2], true]);
  assert.deepEqual(await page({ limit: 2, endingBefore: ids[1] ?? "" }), [[0], false]);
  assert.deepEqual(await page({ fromMs: START_MS + 1_000, beforeMs: START_MS + 3_000 }), [[2, 3], false]);
  assert.equal(await page({ startingAfter: "we_000000000000000000000000" }), null);
});

test("disabling or removing an endpoint ends what waits for it, and enabling it forgets why it was disabled", async () => {
  const { register, happen, tick, behaviour, webhookEndpoints, deliveries, administer, webhookEvents } = world();
  const [one, other] = [await register("https://one.example/"), await register("https://other.example/")];
  behaviour.answer = async ({ url }) => (url.includes("one") ? answered(410) : answered(500));
  await happen(event("1"));
  await tick();
  assert.equal((await webhookEndpoints.find(MERCHANT, false, one.id))?.disabledReason, "gone");
  const enabled = await webhookEndpoints.change(MERCHANT, false, one.id, { disabled: false });
  assert.deepEqual([enabled?.status, enabled?.disabledReason], ["enabled", null]);
  assert.deepEqual([await deliveries.count("waiting", 10), (await webhookEvents.find("M1", false, event("1").id))?.pending], [1, 1]);
  await webhookEndpoints.remove(MERCHANT, false, other.id);
  assert.deepEqual([await deliveries.count("waiting", 10), await deliveries.count("canceled", 10)], [0, 2]);
  await happen(event("2"));
  behaviour.answer = async () => answered(500);
  await tick();
  assert.equal((await administer.disableEndpoint(one.id))?.status, "disabled");
  assert.deepEqual([await deliveries.count("waiting", 10), await deliveries.count("canceled", 10)], [0, 3]);
  assert.equal(await administer.disableEndpoint(other.id), null);
});

test("a rolled secret signs beside the new one until the overlap ends, never longer than it was given", async () => {
  const { register, webhookEndpoints, advance } = world();
  const { id } = await register("https://shop.example/");
  const ends = async () => (await webhookEndpoints.find(MERCHANT, false, id))?.secrets.map(({ untilMs }) => untilMs);
  await webhookEndpoints.rollSecret(MERCHANT, false, id, 7 * DAY_MS, "1");
  assert.deepEqual(await ends(), [null, START_MS + 7 * DAY_MS]);
  advance(DAY_MS);
  await webhookEndpoints.rollSecret(MERCHANT, false, id, DAY_MS, "2");
  assert.deepEqual(await ends(), [null, START_MS + 2 * DAY_MS, START_MS + 2 * DAY_MS], "a shorter overlap is meant for all that are older");
  await webhookEndpoints.rollSecret(MERCHANT, false, id, 0, "3");
  assert.deepEqual(await ends(), [null]);
  for (let round = 0; round < 6; round += 1) await webhookEndpoints.rollSecret(MERCHANT, false, id, DAY_MS, `more ${round}`);
  assert.equal((await ends())?.length, 4);
  for (const overlap of [-1, 7 * DAY_MS + 1, Number.NaN]) {
    await assert.rejects(webhookEndpoints.rollSecret(MERCHANT, false, id, overlap, "wrong"), { code: "invalid_request" });
  }
});

test("a request to roll that is repeated answers the secret that it made, and rolls nothing", async () => {
  const { register, webhookEndpoints, advance, box } = world();
  const { id, secret } = await register("https://shop.example/");
  const roll = (overlapMs: number, operation: string) => webhookEndpoints.rollSecret(MERCHANT, false, id, overlapMs, operation);
  const first = await roll(DAY_MS, "1");
  advance(1_000);
  assert.deepEqual(await roll(DAY_MS, "1"), first);
  const second = await roll(DAY_MS, "2");
  assert.notEqual(second?.secret, first?.secret);
  assert.equal((await roll(DAY_MS, "1"))?.secret, first?.secret, "it still signs");
  const signing = (await webhookEndpoints.find(MERCHANT, false, id))?.secrets ?? [];
  assert.deepEqual(
    signing.map(({ sealed }) => box.open(sealed, `webhook-endpoint/${id}`)),
    [second?.secret, first?.secret, secret],
  );
  await roll(0, "3");
  await assert.rejects(roll(DAY_MS, "1"), { code: "conflict" }, "nobody may take it for a secret that signs");
  assert.equal((await webhookEndpoints.find(MERCHANT, false, id))?.secrets.length, 1);
});

test("of requests to roll that come at once each has its own secret, and repetitions among them have the same", async () => {
  const { register, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/");
  const operations = ["1", "2", "1", "2", "1"];
  const rolled = await Promise.all(operations.map((operation) => webhookEndpoints.rollSecret(MERCHANT, false, id, DAY_MS, operation)));
  assert.equal(new Set(rolled.map((one) => one?.secret)).size, 2);
  assert.equal(rolled[0]?.secret, rolled[2]?.secret);
  assert.equal((await webhookEndpoints.find(MERCHANT, false, id))?.secrets.length, 3);
});

test("two changes of an endpoint's metadata at once both count, within the limit of their result", async () => {
  const { register, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/");
  const change = (metadata: MetadataChange) => webhookEndpoints.change(MERCHANT, false, id, { metadata });
  await Promise.all([change({ a: "1" }), change({ b: "2" })]);
  assert.deepEqual((await webhookEndpoints.find(MERCHANT, false, id))?.metadata, { a: "1", b: "2" });
  const more = Object.fromEntries(Array.from({ length: METADATA_KEYS_MAX - 1 }, (_, index) => [`k${index}`, "1"]));
  await assert.rejects(change(more), TooManyMetadataKeys);
  assert.equal(Object.keys((await change({ ...more, a: null }))?.metadata ?? {}).length, METADATA_KEYS_MAX);
  assert.deepEqual((await change("clear"))?.metadata, {});
});

test("a surface of one format does not see the others' endpoints, which count towards the same places", async () => {
  const { kv, clock, box, stops, endpoints, register, webhookEndpoints: all } = world();
  assert.ok(kv !== null);
  const own = await register("https://shop.example/own", { format: "portal" });
  const ofPlatform = await register("https://shop.example/platform");
  const platform = createWebhookEndpoints({
    ...{ format: "platform", store: endpoints, stops, box, clock },
    ...{ secrets: createWebhookSecrets(), digest: sha256Hex, isLocalHost: () => false },
  });
  const query = { limit: 100, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null };
  const idsOf = async (of: typeof all) => (await of.list(MERCHANT, false, query))?.items.map(({ id }) => id).sort();
  assert.deepEqual(await idsOf(platform), [ofPlatform.id]);
  assert.deepEqual(await idsOf(all), [own.id, ofPlatform.id].sort());
  assert.equal(await platform.find(MERCHANT, false, own.id), null);
  assert.equal(await platform.change(MERCHANT, false, own.id, { disabled: true }), null);
  assert.equal(await platform.rollSecret(MERCHANT, false, own.id, 0, "roll"), null);
  assert.equal(await platform.remove(MERCHANT, false, own.id), false);
  assert.equal((await all.find(MERCHANT, false, own.id))?.status, "enabled");
  for (let count = 2; count < WEBHOOK_ENDPOINTS_MAX; count += 1) await register(`https://shop.example/${count}`, { format: "portal" });
  assert.deepEqual(await platform.create(MERCHANT, order("https://shop.example/more"), "one more"), { type: "full" });
});

test("who changes an endpoint as it is no more is told so, and each change is later than the one before", async () => {
  const { register, webhookEndpoints } = world();
  const { id } = await register("https://shop.example/");
  const seen = await webhookEndpoints.find(MERCHANT, false, id);
  assert.ok(seen !== null);
  const first = await webhookEndpoints.change(MERCHANT, false, id, { description: "one", seenAtMs: seen.updatedAtMs });
  assert.ok(first !== null && first.updatedAtMs > seen.updatedAtMs);
  await assert.rejects(
    () => webhookEndpoints.change(MERCHANT, false, id, { description: "two", seenAtMs: seen.updatedAtMs }),
    (error) => error instanceof RelayError && error.code === "conflict",
  );
  assert.equal((await webhookEndpoints.change(MERCHANT, false, id, { description: "three" }))?.description, "three");
});
