import type { Kv } from "../../../engine/kernel/kv.ts";
import { createAdministerWebhooks } from "../../../engine/webhooks/administer-webhooks.ts";
import { createApiVersions } from "../../../engine/webhooks/api-version-store.ts";
import { createEndpointStops } from "../../../engine/webhooks/endpoint-stops.ts";
import { type ApiVersionOf, createFanOut } from "../../../engine/webhooks/fan-out.ts";
import { createMerchantDeliveries } from "../../../engine/webhooks/merchant-deliveries.ts";
import type { PostOutcome } from "../../../engine/webhooks/post-target.ts";
import { createWebhookDeliveryStore } from "../../../engine/webhooks/webhook-delivery-store.ts";
import type { WebhookOwner } from "../../../engine/webhooks/webhook-endpoint.ts";
import { createWebhookEndpointStore } from "../../../engine/webhooks/webhook-endpoint-store.ts";
import { createWebhookEndpoints, type WebhookEndpointOrder } from "../../../engine/webhooks/webhook-endpoints.ts";
import { type WebhookEvent, webhookEventId } from "../../../engine/webhooks/webhook-event.ts";
import { createWebhookEventStore, eventOperations } from "../../../engine/webhooks/webhook-event-store.ts";
import { createWebhookEvents } from "../../../engine/webhooks/webhook-events.ts";
import { createWebhookSender } from "../../../engine/webhooks/webhook-sender.ts";
import { sha256Hex } from "../../../http/auth/digest.ts";
import { createCallableAddresses } from "../../../http/gateway/callable-addresses.ts";
import { createWebhookRequests } from "../../../http/webhooks/webhook-request.ts";
import { createWebhookSecrets } from "../../../http/webhooks/webhook-secrets.ts";
import { createSecretBox } from "../../../infra/node/boot/secret-box.ts";
import { MemoryKv } from "../kernel/memory-kv.ts";

export const START_MS = 1_700_000_000_000;
export const MERCHANT: WebhookOwner = { type: "merchant", merchantId: "M1" };
export const PARTNER: WebhookOwner = { type: "partner", partnerId: 7 };
export const PARTNER_SECRET = "sk_partner_0123456789";
export const DEFAULT_VERSION = "2026-10-28.endive";

export interface Posted {
  url: string;
  body: string;
  headers: { readonly [name: string]: string };
  atMs: number;
}

export const OK: PostOutcome = { type: "answered", status: 200, answer: "ok", durationMs: 3 };

export function answered(status: number, answer = ""): PostOutcome {
  return { type: "answered", status, answer, durationMs: 3 };
}

/** An event of object `pi_<name>`. */
export function event(name: string, sequence = 1, more: Partial<WebhookEvent> = {}): WebhookEvent {
  const objectId = `pi_${name}`;
  return {
    schema: 1,
    id: webhookEventId(objectId, sequence, sha256Hex),
    format: "platform",
    merchantId: "M1",
    partnerId: 7,
    livemode: false,
    type: "payment_intent.succeeded",
    createdAtMs: START_MS,
    objectId,
    sequence,
    data: { object: { id: objectId, object: "payment_intent" } },
    request: { id: "req_1", idempotencyKey: null },
    ...more,
  };
}

export function order(url: string, more: Partial<WebhookEndpointOrder> = {}): WebhookEndpointOrder {
  return { format: "platform", livemode: false, url, events: ["*"], apiVersion: null, description: null, metadata: {}, ...more };
}

/** The whole pipeline over a store in memory, with as many senders as nodes and a clock that the test moves. */
export function world(options: { nodes?: number; kv?: Kv; mine?: (node: number, endpointId: string) => boolean } = {}) {
  const { nodes = 1, mine = () => true } = options;
  const kv = options.kv ?? new MemoryKv();
  let nowMs = START_MS;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const box = createSecretBox({ current: "11".repeat(32), old: null });
  const events = createWebhookEventStore(kv);
  const endpoints = createWebhookEndpointStore(kv);
  const deliveries = createWebhookDeliveryStore(kv);
  const versions = createApiVersions(kv);
  const disabled: string[] = [];
  const stops = createEndpointStops({
    ...{ endpoints, deliveries, clock },
    disabled: ({ id, disabledReason }) => disabled.push(`${id} ${disabledReason}`),
  });
  const apiVersionOf: ApiVersionOf = async (merchantId) => (await versions.versionOf(merchantId)) ?? DEFAULT_VERSION;
  const posted: Posted[] = [];
  const told: string[] = [];
  const failures: unknown[] = [];
  const behaviour = { answer: async (_post: Posted): Promise<PostOutcome> => OK, partnerSecret: PARTNER_SECRET as string | null };
  const target = {
    post: async (url: string, body: string, headers: Posted["headers"]) => {
      const post = { url, body, headers, atMs: nowMs };
      posted.push(post);
      return behaviour.answer(post);
    },
  };
  const failed = (_what: string, error: unknown) => failures.push(error);
  const machinery = Array.from({ length: nodes }, (_, node) => ({
    fanOut: createFanOut({ ...{ events, endpoints, deliveries, apiVersionOf, clock, failed }, mine: () => mine(node, "fan-out") }),
    sender: createWebhookSender({
      ...{ deliveries, stops, target, clock, failed },
      requests: createWebhookRequests({ box, partnerSecretOf: () => behaviour.partnerSecret }),
      mine: (endpointId) => mine(node, endpointId),
      told: ({ type, id, attempts }) => told.push(`${type} ${id} ${attempts}`),
    }),
  }));
  const happen = (...stored: WebhookEvent[]) => kv.commit({ checks: [], operations: eventOperations(stored) });
  const advance = (ms: number) => {
    nowMs += ms;
  };
  /** Lets every node look, and waits until nothing more happens: with a store in memory all is done in the same turn of the event loop. */
  const tick = async (ms = 1_000) => {
    for (const { fanOut } of machinery) fanOut.tick();
    await turn();
    for (const { sender } of machinery) sender.tick();
    await turn();
    advance(ms);
  };
  /** Until nothing more is posted, without waiting for what comes later. */
  const settle = async () => {
    for (let before = -1; before < posted.length; ) {
      before = posted.length;
      await tick(300);
      await tick(300);
    }
  };
  const webhookEndpoints = createWebhookEndpoints({
    ...{ format: null, store: endpoints, stops, box, clock },
    secrets: createWebhookSecrets(),
    digest: sha256Hex,
    isLocalHost: createCallableAddresses(["127.0.0.0/8"]).isLocalHost,
  });
  let operations = 0;
  /** Registers an endpoint, with its secret. */
  const register = async (url: string, more: Partial<WebhookEndpointOrder> = {}, owner = MERCHANT) => {
    operations += 1;
    const outcome = await webhookEndpoints.create(owner, order(url, more), `operation ${operations}`);
    if (outcome.type !== "created") throw new Error("there are too many");
    return { id: outcome.endpoint.id, secret: outcome.secret };
  };
  return {
    ...{ kv, clock, box, events, endpoints, deliveries, versions, stops, disabled, posted, told, failures, behaviour, machinery },
    ...{ happen, advance, tick, settle, register, webhookEndpoints },
    webhookEvents: createWebhookEvents({ format: "platform", events, deliveries, endpoints, apiVersionOf, clock }),
    merchantDeliveries: createMerchantDeliveries({ events, deliveries, endpoints, apiVersionOf, digest: sha256Hex, clock }),
    administer: createAdministerWebhooks({ deliveries, endpoints, stops, clock }),
  };
}

export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
