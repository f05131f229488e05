/** One node's webhooks over LevelDB, with the sender's real requests; forked by run.ts, which is the receiver. */
import { setTimeout as delay } from "node:timers/promises";
import type { Operation } from "../../engine/kernel/kv.ts";
import { recordText } from "../../engine/kernel/schemas.ts";
import { createEndpointStops } from "../../engine/webhooks/endpoint-stops.ts";
import { createFanOut } from "../../engine/webhooks/fan-out.ts";
import { createWebhookDeliveryStore } from "../../engine/webhooks/webhook-delivery-store.ts";
import { type WebhookEndpointRecord, webhookSecretPlace } from "../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpointStore, WEBHOOK_ENDPOINTS } from "../../engine/webhooks/webhook-endpoint-store.ts";
import { type WebhookEvent, webhookEventId } from "../../engine/webhooks/webhook-event.ts";
import { createWebhookEventStore, eventOperations } from "../../engine/webhooks/webhook-event-store.ts";
import { createWebhookSender } from "../../engine/webhooks/webhook-sender.ts";
import { sha256Hex } from "../../http/auth/digest.ts";
import { createPostTarget } from "../../http/gateway/callback-post.ts";
import { createWebhookRequests } from "../../http/webhooks/webhook-request.ts";
import { createSecretBox } from "../../infra/node/boot/secret-box.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";

export interface WebhooksTask {
  directory: string;
  receiver: string;
  endpoints: number;
  events: number;
}

export interface WebhooksResult {
  /** From the event's commit until all of its deliveries were stored, and until the first and the last one was delivered and that was stored. */
  fannedOutMs: number;
  firstMs: number;
  deliveredMs: number;
  /** How long the oldest one was due, at most, as the node's metric tells it. */
  oldestDueMs: number;
  /** Share of one core that the process took meanwhile. */
  cpuShare: number;
  /** The same posts one after the other at 256 places, without store, signature or claim: what the requests alone take. */
  bareMs: number;
}

const TICK_MS = 50;
const AT_ONCE = 256;
const PAGE = 200;

process.once("message", (task: WebhooksTask) => {
  measure(task).then(
    (results) => process.send?.(results, () => process.disconnect()),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function measure({ directory, receiver, endpoints: count, events: eventCount }: WebhooksTask): Promise<WebhooksResult[]> {
  const clock = { nowMs: Date.now, monotonicMs: () => performance.now() };
  const kv = await openEmbeddedKv({ directory, nowMs: Date.now });
  const box = createSecretBox({ current: "11".repeat(32), old: null });
  const [events, endpoints, deliveries] = [
    createWebhookEventStore(kv),
    createWebhookEndpointStore(kv),
    createWebhookDeliveryStore(kv),
  ] as const;
  const ids = Array.from({ length: count }, (_, index) => `we_${String(index).padStart(24, "0")}`);
  for (let at = 0; at < count; at += PAGE) {
    // More than one owner can register; written as the store writes them.
    const operations = ids.slice(at, at + PAGE).flatMap((id): Operation[] => {
      const record: WebhookEndpointRecord = {
        ...{ schema: 1, id, owner: { type: "merchant", merchantId: "M1" }, format: "platform", livemode: false, url: `${receiver}/${id}` },
        ...{ events: ["*"], apiVersion: null, description: null, metadata: {}, status: "enabled", disabledReason: null },
        ...{
          secrets: [
            { sealed: box.seal("whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTI=", webhookSecretPlace(id)), untilMs: null, madeBy: "1" },
          ],
          rolls: [],
        },
        ...{ createdAtMs: 1, updatedAtMs: 1 },
      };
      return [
        { type: "put", key: WEBHOOK_ENDPOINTS + id, value: recordText("webhookEndpoint", record) },
        { type: "put", key: `webhook-endpoint-of/m/M1/${id}`, value: "1" },
      ];
    });
    await kv.commit({ checks: [], operations });
  }
  const target = createPostTarget({ allowedNetworks: ["127.0.0.0/8"] });
  const failed = (what: string, error: unknown) => {
    throw new Error(what, { cause: error });
  };
  let told = 0;
  let firstAt = 0;
  const fanOut = createFanOut({ events, endpoints, deliveries, apiVersionOf: async () => null, clock, mine: () => true, failed });
  const sender = createWebhookSender({
    ...{ deliveries, clock, target, failed },
    stops: createEndpointStops({ endpoints, deliveries, clock, disabled: () => {} }),
    requests: createWebhookRequests({ box, partnerSecretOf: () => null }),
    mine: () => true,
    told: ({ type }) => {
      if (type !== "delivered") throw new Error(`a delivery was ${type}`);
      if (told === 0) firstAt = performance.now();
      told += 1;
    },
  });
  const ticks = setInterval(() => {
    fanOut.tick();
    sender.tick();
  }, TICK_MS);

  const results: WebhooksResult[] = [];
  for (let round = 0; round < eventCount; round += 1) {
    const event = exampleEvent(round);
    [told, firstAt] = [0, 0];
    let [fannedOutMs, oldestDueMs] = [0, 0];
    const cpu = process.cpuUsage();
    const begun = performance.now();
    await kv.commit({ checks: [], operations: eventOperations([event]) });
    while (told < count) {
      await delay(20);
      if (fannedOutMs === 0 && (await events.outbox(1)).length === 0) fannedOutMs = performance.now() - begun;
      const due = sender.oldestDueMs();
      if (due !== null) oldestDueMs = Math.max(oldestDueMs, Date.now() - due);
    }
    const deliveredMs = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    const bareMs = await bare(ids.map((id) => `${receiver}/${id}`));
    results.push({
      fannedOutMs,
      firstMs: firstAt - begun,
      deliveredMs,
      oldestDueMs,
      cpuShare: (user + system) / 1_000 / deliveredMs,
      bareMs,
    });
  }
  clearInterval(ticks);
  await Promise.all([fanOut.stop(), sender.stop()]);
  await kv.close();
  return results;

  async function bare(urls: string[]): Promise<number> {
    const body = JSON.stringify(exampleEvent(0));
    const begun = performance.now();
    const places = Array.from({ length: AT_ONCE }, async () => {
      for (let url = urls.pop(); url !== undefined; url = urls.pop()) await target.post(url, body, {}, 1_152);
    });
    await Promise.all(places);
    return performance.now() - begun;
  }
}

/** About as large as a payment intent is in the platform's form. */
function exampleEvent(round: number): WebhookEvent {
  const objectId = `pi_${String(round).padStart(24, "0")}`;
  return {
    ...{ schema: 1, id: webhookEventId(objectId, 1, sha256Hex), format: "platform", merchantId: "M1", partnerId: 1, livemode: false },
    ...{ type: "payment_intent.succeeded", createdAtMs: Date.now(), objectId, sequence: 1, request: { id: null, idempotencyKey: null } },
    data: { object: { id: objectId, object: "payment_intent", amount: 1_234, filled: "x".repeat(1_500) } },
  };
}
