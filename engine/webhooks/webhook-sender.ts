import type { Clock } from "../kernel/clock.ts";
import { cutText } from "../kernel/cut-text.ts";
import { hashOf } from "../kernel/hash.ts";
import { maskText } from "../kernel/mask.ts";
import type { PlaceBounds } from "../kernel/shared-places.ts";
import type { Stored } from "../kernel/stored.ts";
import { createDeliverySender, type DeliverySender } from "./delivery-sender.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import type { PostOutcome, PostTarget } from "./post-target.ts";
import {
  canceledDelivery,
  claimedDelivery,
  deliveredDelivery,
  failedDelivery,
  type WebhookAttempt,
  type WebhookDeliveryRecord,
} from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { isFailing, type WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEvent } from "./webhook-event.ts";

/** Writes an event in the format of its endpoint, and signs it. */
export interface WebhookRequests {
  /** Returns null if there is no secret, because the partner has no access any longer. */
  requestOf(what: {
    event: WebhookEvent;
    delivery: WebhookDeliveryRecord;
    endpoint: WebhookEndpointRecord;
    /** The time of the attempt, which the receiver compares with its own clock. */
    atMs: number;
  }): { readonly body: string; readonly headers: { readonly [name: string]: string } } | null;
}

/** A report for counts and logs, which contains no address. */
export interface WebhookTold {
  readonly type: "delivered" | "failed" | "dead" | "canceled";
  readonly id: string;
  readonly attempts: number;
  readonly reason: string | null;
}

export interface WebhookSenderOptions {
  deliveries: WebhookDeliveryStore;
  stops: EndpointStops;
  requests: WebhookRequests;
  target: PostTarget;
  clock: Clock;
  /**
   * Whether this node sends to the endpoint. Two nodes may believe it for a moment, but a claim
   * protects each delivery.
   */
  mine(endpointId: string): boolean;
  told(event: WebhookTold): void;
  /** Reports each attempt that was sent, for the merchant's log. */
  attempted?(what: { event: WebhookEvent; endpoint: WebhookEndpointRecord; attempt: WebhookAttempt }): void;
  failed(what: string, error: unknown): void;
}

/**
 * Limits for deliveries in progress: in all, for one merchant or partner, and for one endpoint.
 * Each delivery holds a connection and an event of about 10 KB in memory.
 */
export const WEBHOOKS_UNDER_WAY: PlaceBounds = { all: 256, each: 128 };
const PER_ENDPOINT_MAX = 8;

/**
 * Bytes of an answer that are stored, and that are read. The difference lets a card number at the
 * end be recognized and masked.
 */
const ANSWER_KEPT = 1_024;
const ANSWER_READ = 1_152;

const UNSIGNED: unique symbol = Symbol("unsigned");

/** The HTTP status for an endpoint that was removed permanently. */
const GONE = 410;

/**
 * Sends webhooks. Each attempt has a new signature. The attempts take about an hour and are stored.
 */
export function createWebhookSender(options: WebhookSenderOptions): DeliverySender {
  const { deliveries, stops, requests, target, clock, mine, told, attempted, failed } = options;

  /**
   * A secret that cannot be opened, or any other error here, counts as a failed attempt, so that it
   * is not attempted forever.
   */
  function signed(what: Parameters<WebhookRequests["requestOf"]>[0]): ReturnType<WebhookRequests["requestOf"]> | typeof UNSIGNED {
    try {
      return requests.requestOf(what);
    } catch (error) {
      failed("webhooks.sign", error);
      return UNSIGNED;
    }
  }

  async function attempt(claimed: Stored<WebhookDeliveryRecord>): Promise<"delivered" | "failed" | "ended"> {
    const { record } = claimed;
    const { event, endpoint, health } = await deliveries.context(record);
    const atMs = clock.nowMs();
    const enabled = event !== null && endpoint?.record.status === "enabled";
    const request = enabled ? signed({ event, delivery: record, endpoint: endpoint.record, atMs }) : null;
    if (event === null || endpoint === null || request === null) {
      const ended = await deliveries.replace(claimed, canceledDelivery(record, null));
      if (ended !== null) told({ type: "canceled", id: record.id, attempts: record.attemptsMade, reason: null });
      return "ended";
    }
    const outcome =
      request === UNSIGNED
        ? ({ type: "failed", reason: "the delivery cannot be signed", durationMs: 0 } as const)
        : await target.post(endpoint.record.url, request.body, request.headers, ANSWER_READ);
    const made = attemptOf(outcome, atMs);
    attempted?.({ event, endpoint: endpoint.record, attempt: made });
    const tell = (type: WebhookTold["type"]) => told({ type, id: record.id, attempts: record.attemptsMade, reason: made.error });
    if (made.error === null) {
      if (await deliveries.delivered(claimed, deliveredDelivery(record, made), health)) tell("delivered");
      return "delivered";
    }
    // The endpoint is disabled first. If the relay dies in between, this delivery is canceled at
    // its next attempt.
    if (made.status === GONE && (await stops.disable(endpoint.record, "gone"))) {
      if ((await deliveries.replace(claimed, canceledDelivery(record, made))) !== null) tell("canceled");
      return "ended";
    }
    const after = failedDelivery(record, made, clock.nowMs(), (hashOf(record.id) % 1_000) / 1_000);
    if (after.state !== "dead") {
      if ((await deliveries.replace(claimed, after)) !== null) tell("failed");
      return "failed";
    }
    const unhealthy = await deliveries.dead(claimed, after, event);
    if (unhealthy === null) return "failed";
    tell("dead");
    if (isFailing(unhealthy, clock.nowMs())) await stops.disable(endpoint.record, "failing");
    return "failed";
  }

  return createDeliverySender<WebhookDeliveryRecord>({
    kind: {
      name: "webhooks",
      underWay: WEBHOOKS_UNDER_WAY,
      laneMax: PER_ENDPOINT_MAX,
      due: (query) => deliveries.due({ ...query, mine }),
      idOf: ({ id }) => id,
      laneOf: ({ endpointId }) => endpointId,
      holderOf: ({ owner, merchantId, partnerId }) => `${owner} ${owner === "merchant" ? merchantId : partnerId}`,
      // First attempts for the events of one object are in order. A failed one no longer delays the
      // next ones.
      queueOf: ({ endpointId, objectId, attempts, attemptsMade }) =>
        attemptsMade === 0 && attempts.length === 0 ? `${endpointId}/${objectId}` : null,
      claim: (stored, atMs) => deliveries.replace(stored, claimedDelivery(stored.record, atMs)),
      attempt,
    },
    clock,
    failed,
  });
}

function attemptOf(outcome: PostOutcome, atMs: number): WebhookAttempt {
  const { durationMs } = outcome;
  if (outcome.type === "failed") return { atMs, durationMs, status: null, answer: null, error: outcome.reason };
  const { status } = outcome;
  const error = status >= 200 && status < 300 ? null : `answered ${status}`;
  return { atMs, durationMs, status, answer: keptAnswer(outcome.answer), error };
}

/** Masks card numbers before the answer is cut. */
function keptAnswer(answer: string): string {
  return cutText(maskText(answer), ANSWER_KEPT);
}
