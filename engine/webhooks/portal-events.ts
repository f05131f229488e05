import type { Digest } from "../kernel/prefixed-id.ts";
import { type WebhookEvent, webhookEventId } from "./webhook-event.ts";

/** The events of the relay's own format, as the portal offers them. */
export const PORTAL_EVENT_TYPES = [
  "payment_link.paid",
  "payment_link.expired",
  "payment_link.cancelled",
  /** These events exist for payments by link only, never for payments at a terminal. */
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
  /** Sent when a cycle is paid. */
  "subscription.renewed",
  "subscription.payment_failed",
  "subscription.past_due",
  "subscription.recovered",
  /** Sent when a cycle is paid after the subscription was paused or cancelled. */
  "subscription.paid_late",
  "subscription.cancelled",
  /** Sent when the links of the credential have reached its total limit. */
  "agent_credential.exhausted",
] as const;
export type PortalEventType = (typeof PORTAL_EVENT_TYPES)[number];

/** Sent by the portal's "send a test event" to one endpoint, whatever its subscriptions. */
export const PORTAL_TEST_EVENT = "webhook.test";

export interface PortalEventFacts {
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly type: PortalEventType;
  readonly objectId: string;
  /**
   * The number of the event among the events of the object, from 1. Repeating the event yields the
   * same id.
   */
  readonly sequence: number;
  readonly atMs: number;
  /** The object at that time, without personal data. */
  readonly object: object;
  readonly requestId: string | null;
}

/**
 * Returns an event of the relay's own format. The commit that makes the event true includes the
 * operations of `eventOperations` (webhook-event-store.ts).
 */
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
