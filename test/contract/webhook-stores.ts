import assert from "node:assert/strict";
import { describe } from "node:test";
import type { ApiVersions } from "../../engine/webhooks/api-versions.ts";
import type { DueQuery } from "../../engine/webhooks/delivery-sender.ts";
import { createEndpointStops } from "../../engine/webhooks/endpoint-stops.ts";
import { createFanOut } from "../../engine/webhooks/fan-out.ts";
import {
  claimedDelivery,
  deliveredDelivery,
  failedDelivery,
  freshDelivery,
  resentDelivery,
  type WebhookAttempt,
  type WebhookDeliveryRecord,
} from "../../engine/webhooks/webhook-delivery.ts";
import type { WebhookDeliveryStore } from "../../engine/webhooks/webhook-delivery-store.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord } from "../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookEndpointStore } from "../../engine/webhooks/webhook-endpoint-store.ts";
import type { WebhookEvent } from "../../engine/webhooks/webhook-event.ts";
import { eventOperations, type WebhookEventStore } from "../../engine/webhooks/webhook-event-store.ts";
import { createWebhookSender } from "../../engine/webhooks/webhook-sender.ts";
import { event as exampleEvent, MERCHANT } from "../engine/webhooks/webhook-world.ts";
import { eventually } from "../support/within.ts";
import type { OpenEngine } from "./engines.ts";
import { ownWorldTest } from "./own-world.ts";

/** Stores of their own for one test, empty. */
export interface OpenWebhookStores {
  events: WebhookEventStore;
  endpoints: WebhookEndpointStore;
  deliveries: WebhookDeliveryStore;
  versions: ApiVersions;
  /** What all are written on. */
  opened: OpenEngine;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

function endpoint(name: string, more: Partial<WebhookEndpointRecord> = {}): WebhookEndpointRecord {
  return {
    ...{
      schema: 1,
      id: `we_${name.padStart(24, "0")}`,
      owner: MERCHANT,
      format: "platform",
      livemode: false,
      url: "https://shop.example/",
    },
    ...{ events: ["*"], apiVersion: null, description: null, metadata: {}, status: "enabled", disabledReason: null },
    ...{ secrets: [], rolls: [], createdAtMs: 1, updatedAtMs: 1 },
    ...more,
  };
}

function attempt(atMs: number, error: string | null): WebhookAttempt {
  return { atMs, durationMs: 1, status: error === null ? 200 : 500, answer: "", error };
}

function delivery(event: WebhookEvent, of: WebhookEndpointRecord, atMs: number): WebhookDeliveryRecord {
  return freshDelivery(event, of, { apiVersion: null, pendingWebhooks: 1, atMs });
}

const all = (untilMs: number): DueQuery & { mine(): boolean } => ({ untilMs, after: null, limit: 100, room: () => 8, mine: () => true });

/** The contract of the stores in engine/webhooks/; each engine's test file calls this. */
export function testWebhookStores(name: string, open: () => Promise<OpenWebhookStores>): void {
  describe(`${name} keeps the contract of the stores of webhooks`, () => {
    const test = ownWorldTest(open);

    test("keeps an event for thirty days, in its merchant's list, and in the outbox until it is fanned out", async ({
      events,
      deliveries,
      opened,
    }) => {
      const [first, second] = [
        exampleEvent("1", 1, { createdAtMs: opened.nowMs() }),
        exampleEvent("1", 2, { createdAtMs: opened.nowMs() }),
      ];
      await opened.kv.commit({ checks: [], operations: eventOperations([second, first]) });
      assert.deepEqual(await events.load(first.id), first);
      const outbox = await events.outbox(10);
      assert.deepEqual(
        outbox.map(({ eventId, objectId, sequence, record }) => [eventId, objectId, sequence, record.total, record.cursor]),
        [
          [first.id, "pi_1", 1, null, null],
          [second.id, "pi_1", 2, null, null],
        ],
      );
      const [item] = outbox;
      assert.ok(item !== undefined);
      const to = endpoint("a");
      const version = await deliveries.fanOut(item, [delivery(first, to, opened.nowMs())], {
        total: 2,
        cursor: { owner: "merchant", after: to.id },
      });
      assert.ok(version !== null);
      assert.equal(await deliveries.fanOut(item, [], null), null, "another node has gone on");
      assert.deepEqual((await events.outbox(10))[0]?.record, { schema: 1, total: 2, cursor: { owner: "merchant", after: to.id } });
      assert.ok((await deliveries.fanOut({ ...item, version }, [delivery(first, to, opened.nowMs())], null)) !== null);
      assert.deepEqual(
        (await events.outbox(10)).map(({ eventId }) => eventId),
        [second.id],
      );
      assert.equal((await deliveries.ofEvent(first.id, 10)).length, 1);
      const list = { format: "platform", merchantId: "M1", livemode: false } as const;
      const query = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null, types: null };
      assert.equal((await events.page(list, query, null)).items.length, 2);
      assert.equal(
        (await events.page(list, { ...query, beforeMs: 253_402_300_800_000 }, null)).items.length,
        2,
        "a bound far in the future",
      );
      opened.advance(30 * DAY_MS + 1);
      assert.equal(await events.load(first.id), null);
      assert.equal((await events.page(list, query, null)).items.length, 0);
      assert.deepEqual(await events.outbox(10), []);
    });

    test("of fifty claims of one delivery one succeeds", async ({ deliveries, opened }) => {
      const record = delivery(exampleEvent("1"), endpoint("a"), opened.nowMs());
      assert.equal(await deliveries.create(record), true);
      assert.equal(await deliveries.create(record), false);
      const stored = await deliveries.load(record.id);
      assert.ok(stored !== null);
      const claims = Array.from({ length: 50 }, (_, index) => deliveries.replace(stored, claimedDelivery(record, opened.nowMs() + index)));
      assert.equal((await Promise.all(claims)).filter((claim) => claim !== null).length, 1);
    });

    test("what is due is found lane by lane, without what has no room, is not due, or is another node's", async ({
      deliveries,
      opened,
    }) => {
      const nowMs = opened.nowMs();
      const [a, b, c] = [endpoint("a"), endpoint("b"), endpoint("c")];
      for (let index = 0; index < 600; index += 1) await deliveries.create(delivery(exampleEvent(`${index}`), a, nowMs - 5_000));
      await deliveries.create(delivery(exampleEvent("later"), b, nowMs + 1));
      await deliveries.create(delivery(exampleEvent("c"), c, nowMs));
      const none = await deliveries.due({ ...all(nowMs), room: (lane) => (lane === a.id ? 0 : 8) });
      assert.deepEqual([none.found.length, none.left, none.oldestMs], [0, true, nowMs - 5_000]);
      const rest = await deliveries.due({ ...all(nowMs), after: none.next });
      assert.deepEqual([rest.found.map(({ record }) => record.endpointId), rest.left, rest.next], [[c.id], false, null]);
      const others = await deliveries.due({ ...all(nowMs), mine: (lane) => lane !== a.id });
      assert.deepEqual([others.found.length, others.left, others.oldestMs], [0, false, null]);
      const some = await deliveries.due(all(nowMs));
      assert.equal(some.found.length, 32, "four for each that can be begun");
      assert.ok(some.found.every(({ record }) => record.endpointId === a.id));
    });

    test("a delivery is counted and listed by its state, and found by its event", async ({ deliveries, opened }) => {
      const nowMs = opened.nowMs();
      const event = exampleEvent("1", 1, { createdAtMs: nowMs });
      await opened.kv.commit({ checks: [], operations: eventOperations([event]) });
      const record = delivery(event, endpoint("a"), nowMs);
      await deliveries.create(record);
      assert.deepEqual([await deliveries.count("waiting", 10), await deliveries.pending(event.id, "merchant")], [1, 1]);
      const stored = await deliveries.load(record.id);
      assert.ok(stored !== null);
      assert.equal(await deliveries.delivered(stored, deliveredDelivery(record, attempt(nowMs, null)), null), true);
      assert.equal(await deliveries.delivered(stored, deliveredDelivery(record, attempt(nowMs, null)), null), false);
      assert.deepEqual([await deliveries.count("waiting", 10), await deliveries.pending(event.id, "merchant")], [0, 0]);
      const [delivered] = await deliveries.page("delivered", null, 10);
      assert.ok(delivered !== undefined);
      assert.deepEqual(await deliveries.page("delivered", delivered, 10), []);
      const again = await deliveries.load(record.id);
      assert.ok(again !== null);
      assert.equal(await deliveries.resent(again, resentDelivery(again.record, nowMs), event, nowMs + DAY_MS), true);
      assert.deepEqual([await deliveries.count("waiting", 10), await deliveries.count("delivered", 10)], [1, 0]);
      assert.equal((await deliveries.waitingFor(record.endpointId, 10)).length, 1);
    });

    test("deliveries of endpoints are listed by age, of one state or of all, and move with their state", async ({ deliveries, opened }) => {
      const nowMs = opened.nowMs();
      const [a, b, c] = [endpoint("a"), endpoint("b"), endpoint("c")];
      const records = [a, b, a, c, b, a].map((to, index) => delivery(exampleEvent(`${index}`), to, nowMs + index));
      for (const record of records) await deliveries.create(record);
      const [first, second, third, , fifth, sixth] = records;
      assert.ok(first !== undefined && second !== undefined && third !== undefined && fifth !== undefined && sixth !== undefined);
      const stored = await deliveries.load(third.id);
      assert.ok(stored !== null);
      const ended = deliveredDelivery(third, attempt(nowMs, null));
      assert.equal(await deliveries.delivered(stored, ended, null), true);
      const both = [a.id, b.id];
      const query = { endpointIds: both, states: null, after: null, limit: 10, order: "oldest first" } as const;
      assert.deepEqual(await deliveries.ofEndpoints(query), { found: [first, second, ended, fifth, sixth], next: null });
      const placeOf = ({ createdAtMs, id }: WebhookDeliveryRecord) => ({ createdAtMs, id });
      assert.deepEqual(await deliveries.ofEndpoints({ ...query, limit: 2 }), { found: [first, second], next: placeOf(second) });
      assert.deepEqual(await deliveries.ofEndpoints({ ...query, after: second, limit: 2 }), {
        found: [ended, fifth],
        next: placeOf(fifth),
      });
      assert.deepEqual((await deliveries.ofEndpoints({ ...query, states: ["waiting"], after: first })).found, [second, fifth, sixth]);
      assert.deepEqual((await deliveries.ofEndpoints({ ...query, endpointIds: [a.id], states: ["delivered"] })).found, [ended]);
      assert.deepEqual((await deliveries.ofEndpoints({ ...query, endpointIds: [a.id], states: ["dead", "canceled"] })).found, []);
      assert.deepEqual((await deliveries.ofEndpoints({ ...query, endpointIds: [] })).found, []);
      const newest = { ...query, order: "newest first" } as const;
      assert.deepEqual(await deliveries.ofEndpoints(newest), { found: [sixth, fifth, ended, second, first], next: null });
      assert.deepEqual(await deliveries.ofEndpoints({ ...newest, limit: 2 }), { found: [sixth, fifth], next: placeOf(fifth) });
      assert.deepEqual(await deliveries.ofEndpoints({ ...newest, after: placeOf(fifth), limit: 3 }), {
        found: [ended, second, first],
        next: null,
      });
      assert.deepEqual(
        (await deliveries.ofEndpoints({ ...newest, after: { ...fifth, id: "evt_gone" }, states: ["delivered"] })).found,
        [ended],
        "the place that it goes on from need not be there",
      );
      opened.advance(31 * DAY_MS);
      assert.deepEqual(
        (await deliveries.ofEndpoints({ ...query, endpointIds: [a.id] })).found,
        [first, sixth],
        "what has ended leaves the list with its record",
      );
    });

    test("a delivery that is created alone brings its event, which is in no list and in no outbox", async ({
      deliveries,
      events,
      opened,
    }) => {
      const event = exampleEvent("1", 1, { createdAtMs: opened.nowMs() });
      const record = delivery(event, endpoint("a"), opened.nowMs());
      assert.deepEqual([await deliveries.createAlone(record, event), await deliveries.createAlone(record, event)], [true, false]);
      assert.deepEqual(await events.loadMany(["evt_gone", event.id]), [event]);
      assert.deepEqual(
        (await deliveries.loadMany(["gone", record.id])).map((stored) => stored.record),
        [record],
      );
      const query = { limit: 10, startingAfter: null, endingBefore: null, fromMs: null, beforeMs: null, types: null };
      assert.deepEqual((await events.page({ format: "platform", merchantId: "M1", livemode: false }, query, null)).items, []);
      assert.deepEqual(await events.outbox(10), []);
      opened.advance(30 * DAY_MS + 1);
      assert.equal(await events.load(event.id), null);
    });

    test("a dead delivery is kept for ninety days with its event, a delivered one for thirty", async ({ deliveries, events, opened }) => {
      const nowMs = opened.nowMs();
      const event = exampleEvent("1", 1, { createdAtMs: nowMs });
      await opened.kv.commit({ checks: [], operations: eventOperations([event]) });
      const [dying, living] = [delivery(event, endpoint("a"), nowMs), delivery(event, endpoint("b"), nowMs)];
      for (const record of [dying, living]) await deliveries.create(record);
      const [one, other] = [await deliveries.load(dying.id), await deliveries.load(living.id)];
      assert.ok(one !== null && other !== null);
      const dead = failedDelivery({ ...dying, attemptsMade: 6 }, attempt(nowMs, "answered 500"), nowMs, 0);
      const outcomes = await Promise.all(Array.from({ length: 10 }, () => deliveries.dead(one, dead, event)));
      assert.deepEqual(
        outcomes.filter((health) => health !== null),
        [{ schema: 1, sinceMs: nowMs, dead: 1 }],
      );
      assert.deepEqual((await deliveries.context(dying)).health, { schema: 1, sinceMs: nowMs, dead: 1 });
      await deliveries.delivered(other, deliveredDelivery(living, attempt(nowMs, null)), null);
      opened.advance(30 * DAY_MS + 1);
      assert.equal(await deliveries.load(living.id), null);
      assert.deepEqual((await deliveries.load(dying.id))?.record, dead);
      assert.deepEqual(await events.load(event.id), event);
      opened.advance(60 * DAY_MS);
      assert.equal(await deliveries.load(dying.id), null);
      assert.equal(await events.load(event.id), null);
      assert.deepEqual(await deliveries.page("dead", null, 10), []);
    });

    test("of thirty endpoints that come at once as many are stored as an owner may have, and pages follow each other", async ({
      endpoints,
    }) => {
      const names = Array.from({ length: 30 }, (_, index) => endpoint(`${index}`));
      const outcomes = await Promise.all(names.map((record) => endpoints.create(record)));
      assert.equal(outcomes.filter((outcome) => outcome === "created").length, WEBHOOK_ENDPOINTS_MAX);
      const first = await endpoints.ofOwner(MERCHANT, null, 10);
      const second = await endpoints.ofOwner(MERCHANT, first.next, 10);
      assert.deepEqual([first.endpoints.length, second.endpoints.length, second.next], [10, 6, null]);
      const [one] = first.endpoints;
      assert.ok(one !== undefined);
      assert.equal(await endpoints.create(one), "exists");
      const stored = await endpoints.load(one.id);
      assert.ok(stored !== null);
      const changes = Array.from({ length: 20 }, (_, index) => endpoints.replace(stored, { ...one, updatedAtMs: index }));
      assert.equal((await Promise.all(changes)).filter((change) => change !== null).length, 1);
      assert.equal(await endpoints.remove(stored), false, "it was changed meanwhile");
      const again = await endpoints.load(one.id);
      assert.ok(again !== null);
      assert.equal(await endpoints.remove(again), true);
      assert.equal(await endpoints.load(one.id), null);
      assert.equal(await endpoints.create(endpoint("new")), "created", "there is room again");
      assert.equal((await endpoints.page(null, 100)).length, WEBHOOK_ENDPOINTS_MAX);
    });

    test("two nodes that fan out and send from one store deliver each once", async ({ events, endpoints, deliveries, opened }) => {
      const shops = Array.from({ length: 10 }, (_, index) => endpoint(`${index}`, { url: `https://shop.example/${index}` }));
      for (const shop of shops) await endpoints.create(shop);
      const happened = Array.from({ length: 20 }, (_, index) => exampleEvent(`${index % 4}`, index + 1, { createdAtMs: opened.nowMs() }));
      await opened.kv.commit({ checks: [], operations: eventOperations(happened) });
      const clock = { nowMs: opened.nowMs, monotonicMs: () => performance.now() };
      const posted: string[] = [];
      const failed = (what: string, error: unknown) => {
        throw new Error(what, { cause: error });
      };
      const nodes = Array.from({ length: 2 }, () => [
        createFanOut({ ...{ events, endpoints, deliveries, clock, failed }, apiVersionOf: async () => null, mine: () => true }),
        createWebhookSender({
          ...{ deliveries, clock, failed },
          stops: createEndpointStops({ endpoints, deliveries, clock, disabled: () => {} }),
          requests: { requestOf: ({ delivery: { id } }) => ({ body: id, headers: {} }) },
          target: {
            post: async (_url, body) => {
              posted.push(body);
              return { type: "answered", status: 200, answer: "", durationMs: 1 };
            },
          },
          mine: () => true,
          told: () => {},
        }),
      ]).flat();
      await eventually(async () => {
        for (const part of nodes) part.tick();
        assert.equal(await deliveries.count("delivered", 1_000), 200);
      });
      await Promise.all(nodes.map((part) => part.stop()));
      assert.equal(posted.length, 200);
      assert.equal(new Set(posted).size, 200);
    });

    test("a merchant's default version is the one that was chosen last, until it is taken away", async ({ versions }) => {
      assert.equal(await versions.versionOf("M1"), null);
      for (const version of ["2026-01-10", "2026-10-28.endive"]) {
        await versions.choose("M1", version);
        assert.equal(await versions.versionOf("M1"), version);
      }
      assert.equal(await versions.versionOf("M2"), null);
      await versions.choose("M1", null);
      await versions.choose("M1", null);
      assert.equal(await versions.versionOf("M1"), null);
    });
  });
}
