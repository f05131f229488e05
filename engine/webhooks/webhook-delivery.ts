import type { WebhookEndpointRecord } from "./webhook-endpoint.ts";
import { WEBHOOK_EVENT_LIFETIME_MS, type WebhookEvent } from "./webhook-event.ts";

/** One attempt to deliver an event to one endpoint. */
export interface WebhookAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Null if there was no answer. */
  readonly status: number | null;
  /** At most the first 1,024 bytes of the answer, without card numbers. */
  readonly answer: string | null;
  /** The reason of a failure, which contains no secret; null after a success. */
  readonly error: string | null;
}

/** The delivery of an event to one endpoint. */
export interface WebhookDeliveryRecord {
  readonly schema: 1;
  /** `<event id>.<endpoint id>`. */
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  /** The owner of the endpoint. A merchant does not see the answers of its partner's endpoints. */
  readonly owner: WebhookEndpointRecord["owner"]["type"];
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly eventType: string;
  readonly objectId: string;
  readonly sequence: number;
  /**
   * The version in the event for this endpoint, and the number of endpoints that get the event.
   * Both stay as they were at the fan-out, so that every attempt has the same body.
   */
  readonly apiVersion: string | null;
  readonly pendingWebhooks: number;
  /** `canceled`: the endpoint was disabled or removed before the delivery. */
  readonly state: "waiting" | "delivered" | "dead" | "canceled";
  /** Attempts since the delivery was last sent again. */
  readonly attemptsMade: number;
  /** The latest attempts, the oldest of them first, WEBHOOK_ATTEMPTS_KEPT at most. */
  readonly attempts: readonly WebhookAttempt[];
  readonly createdAtMs: number;
  /**
   * When the next attempt is due. During an attempt, this is when another node may take over. Null
   * once the delivery has ended.
   */
  readonly nextAtMs: number | null;
}

export const WEBHOOK_DELIVERY_STATES = [
  "waiting",
  "delivered",
  "dead",
  "canceled",
] as const satisfies readonly WebhookDeliveryRecord["state"][];

/**
 * Pauses after failed attempts: the first attempt is immediate, and five more follow. Then the
 * delivery is dead.
 */
export const WEBHOOK_PAUSES_MS = [5, 25, 125, 625, 3_125].map((seconds) => seconds * 1_000);

export const WEBHOOK_ATTEMPTS_KEPT = 24;

/** How long a dead delivery is stored. */
export const WEBHOOK_DEAD_LIFETIME_MS = 90 * 86_400_000;

/**
 * How long a sender has a delivery to itself before another node may take over. It is longer than
 * an attempt takes.
 */
export const WEBHOOK_LEASE_MS = 60_000;

export function deliveryId(eventId: string, endpointId: string): string {
  return `${eventId}.${endpointId}`;
}

export function freshDelivery(
  event: WebhookEvent,
  endpoint: WebhookEndpointRecord,
  { apiVersion, pendingWebhooks, atMs }: { apiVersion: string | null; pendingWebhooks: number; atMs: number },
): WebhookDeliveryRecord {
  const { id: eventId, merchantId, partnerId, livemode, type: eventType, objectId, sequence } = event;
  return {
    schema: 1,
    id: deliveryId(eventId, endpoint.id),
    eventId,
    endpointId: endpoint.id,
    owner: endpoint.owner.type,
    merchantId,
    partnerId,
    livemode,
    eventType,
    objectId,
    sequence,
    apiVersion,
    pendingWebhooks,
    state: "waiting",
    attemptsMade: 0,
    attempts: [],
    createdAtMs: atMs,
    nextAtMs: atMs,
  };
}

/** Returns the delivery as claimed by one sender. The others skip it until the lease expires. */
export function claimedDelivery(record: WebhookDeliveryRecord, atMs: number): WebhookDeliveryRecord {
  return { ...record, attemptsMade: record.attemptsMade + 1, nextAtMs: atMs + WEBHOOK_LEASE_MS };
}

export function deliveredDelivery(record: WebhookDeliveryRecord, attempt: WebhookAttempt): WebhookDeliveryRecord {
  return { ...withAttempt(record, attempt), state: "delivered", nextAtMs: null };
}

/**
 * Returns the delivery after a failed attempt: it waits again, or is dead. `spread` (0 up to 1)
 * lengthens the pause by up to a tenth, so that deliveries that failed together do not return
 * together.
 */
export function failedDelivery(
  record: WebhookDeliveryRecord,
  attempt: WebhookAttempt,
  atMs: number,
  spread: number,
): WebhookDeliveryRecord {
  const pauseMs = WEBHOOK_PAUSES_MS[record.attemptsMade - 1];
  const tried = withAttempt(record, attempt);
  if (pauseMs === undefined) return { ...tried, state: "dead", nextAtMs: null };
  return { ...tried, nextAtMs: atMs + pauseMs + Math.floor((pauseMs / 10) * spread) };
}

/**
 * Returns the delivery as canceled. `attempt` is the attempt whose answer caused it, if there is
 * one.
 */
export function canceledDelivery(record: WebhookDeliveryRecord, attempt: WebhookAttempt | null): WebhookDeliveryRecord {
  return { ...(attempt === null ? record : withAttempt(record, attempt)), state: "canceled", nextAtMs: null };
}

/** Returns the delivery as due at once, with all its attempts. */
export function resentDelivery(record: WebhookDeliveryRecord, atMs: number): WebhookDeliveryRecord {
  return { ...record, state: "waiting", attemptsMade: 0, nextAtMs: atMs };
}

/** Returns when the delivery expires; null while it waits. */
export function deliveryExpiresAtMs({ state, attempts, createdAtMs }: WebhookDeliveryRecord): number | null {
  if (state === "waiting") return null;
  const endedAtMs = attempts.at(-1)?.atMs ?? createdAtMs;
  return endedAtMs + (state === "dead" ? WEBHOOK_DEAD_LIFETIME_MS : WEBHOOK_EVENT_LIFETIME_MS);
}

function withAttempt(record: WebhookDeliveryRecord, attempt: WebhookAttempt): WebhookDeliveryRecord {
  return { ...record, attempts: [...record.attempts, attempt].slice(-WEBHOOK_ATTEMPTS_KEPT) };
}
