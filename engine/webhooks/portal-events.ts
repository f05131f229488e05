import type { Digest } from "../kernel/prefixed-id.ts";
import { type WebhookEvent, webhookEventId } from "./webhook-event.ts";

/** The events of our own format, as the portal offers them. */
export const PORTAL_EVENT_TYPES = [
  "payment_link.paid",
  "payment_link.expired",
  "payment_link.cancelled",
  /** Of payments by link; never of a terminal's. */
  "payment.succeeded",
  "payment.failed",
  "payment.refunded",
  "dispute.created",
  "dispute.evidence_required",
  "dispute.updated",
  "dispute.closed",
  "alert.created",
  "alert.closed",
  "subscription.created",
  /** A cycle was paid. */
  "subscription.renewed",
  "subscription.payment_failed",
  "subscription.past_due",
  "subscription.recovered",
  /** After it was paused or cancelled. */
  "subscription.paid_late",
  "subscription.cancelled",
  /** Its links have come to all that they may. */
  "agent_credential.exhausted",
] as const;
export type PortalEventType = (typeof PORTAL_EVENT_TYPES)[number];

/** Sent by the portal's "send a test event", to that endpoint alone, whatever it subscribed to. */
export const PORTAL_TEST_EVENT = "webhook.test";

export interface PortalEventFacts {
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly type: PortalEventType;
  readonly objectId: string;
  /** Its place among the events of the object, from 1: the same event has the same id however often it is made. */
  readonly sequence: number;
  readonly atMs: number;
  /** What the object was then. No personal data. */
  readonly object: object;
  readonly requestId: string | null;
}

/** An event of our own format; `eventOperations` (webhook-event-store.ts) are its entries for the commit that makes it true. */
export function portalEvent(facts: PortalEventFacts, digest: Digest): WebhookEvent {
  const { merchantId, partnerId, livemode, type, objectId, sequence, atMs, object, requestId } = facts;
  return {
    schema: 1,
    id: webhookEventId(objectId, sequence, digest),
    format: "portal",
    ...{ merchantId, partnerId, livemode, type, objectId, sequence },
    createdAtMs: atMs,
    data: { object },
    request: { id: requestId, idempotencyKey: null },
  };
}
