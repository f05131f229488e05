import type { WebhookEndpointRecord } from "./webhook-endpoint.ts";
import { WEBHOOK_EVENT_LIFETIME_MS, type WebhookEvent } from "./webhook-event.ts";

/** One attempt to deliver an event to one endpoint. */
export interface WebhookAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** At most the first 1,024 bytes of the answer, without card numbers. */
  readonly answer: string | null;
  /** Why it failed, null where it succeeded; holds nothing secret. */
  readonly error: string | null;
}

/** An event that one endpoint is to get. */
export interface WebhookDeliveryRecord {
  readonly schema: 1;
  /** `<event id>.<endpoint id>`. */
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  /** Whose the endpoint is: a merchant does not see what its partner's answer. */
  readonly owner: WebhookEndpointRecord["owner"]["type"];
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly eventType: string;
  readonly objectId: string;
  readonly sequence: number;
  /** The version that the event names to this endpoint, and to how many endpoints it went: both as they were when it was fanned out, so that every attempt has the same body. */
  readonly apiVersion: string | null;
  readonly pendingWebhooks: number;
  /** `canceled`: its endpoint was disabled or removed before it was delivered. */
  readonly state: "waiting" | "delivered" | "dead" | "canceled";
  /** Since it was last sent again, which begins them anew. */
  readonly attemptsMade: number;
  /** The latest ones, the oldest first; at most WEBHOOK_ATTEMPTS_KEPT. */
  readonly attempts: readonly WebhookAttempt[];
  readonly createdAtMs: number;
  /** When it is to be sent; of one that is being sent, when it may be taken over. Null once it has ended. */
  readonly nextAtMs: number | null;
}

export const WEBHOOK_DELIVERY_STATES = [
  "waiting",
  "delivered",
  "dead",
  "canceled",
] as const satisfies readonly WebhookDeliveryRecord["state"][];

/** Pauses after failed attempts: one at once, and five more. After the last one it is dead. */
export const WEBHOOK_PAUSES_MS = [5, 25, 125, 625, 3_125].map((seconds) => seconds * 1_000);

export const WEBHOOK_ATTEMPTS_KEPT = 24;

/** How long one that was given up is kept. */
export const WEBHOOK_DEAD_LIFETIME_MS = 90 * 86_400_000;

/** Whoever sends one has this long; then another node may. Longer than an attempt takes. */
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

/** Taken by one sender; the others leave it for the time of the lease. */
export function claimedDelivery(record: WebhookDeliveryRecord, atMs: number): WebhookDeliveryRecord {
  return { ...record, attemptsMade: record.attemptsMade + 1, nextAtMs: atMs + WEBHOOK_LEASE_MS };
}

export function deliveredDelivery(record: WebhookDeliveryRecord, attempt: WebhookAttempt): WebhookDeliveryRecord {
  return { ...withAttempt(record, attempt), state: "delivered", nextAtMs: null };
}

/**
 * After an attempt that failed: later again, or dead. `spread` (0 up to 1) lengthens the pause by up to a tenth, so that what failed together does
 * not come back together.
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

/** Its endpoint gets nothing any more; `attempt` where that is what the endpoint answered. */
export function canceledDelivery(record: WebhookDeliveryRecord, attempt: WebhookAttempt | null): WebhookDeliveryRecord {
  return { ...(attempt === null ? record : withAttempt(record, attempt)), state: "canceled", nextAtMs: null };
}

/** At once, and with all its attempts again. */
export function resentDelivery(record: WebhookDeliveryRecord, atMs: number): WebhookDeliveryRecord {
  return { ...record, state: "waiting", attemptsMade: 0, nextAtMs: atMs };
}

/** Until when it is kept; null while it waits. */
export function deliveryExpiresAtMs({ state, attempts, createdAtMs }: WebhookDeliveryRecord): number | null {
  if (state === "waiting") return null;
  const endedAtMs = attempts.at(-1)?.atMs ?? createdAtMs;
  return endedAtMs + (state === "dead" ? WEBHOOK_DEAD_LIFETIME_MS : WEBHOOK_EVENT_LIFETIME_MS);
}

function withAttempt(record: WebhookDeliveryRecord, attempt: WebhookAttempt): WebhookDeliveryRecord {
  return { ...record, attempts: [...record.attempts, attempt].slice(-WEBHOOK_ATTEMPTS_KEPT) };
}
