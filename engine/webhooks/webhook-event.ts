import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";

/** A format of webhooks. It determines the events, their form and their signatures. */
export type WebhookFormat = "platform" | "portal";

/**
 * An event that subscribers to its type are notified of. It is stored in the commit that makes it
 * true, never changes afterwards, and is stored for 30 days.
 */
export interface WebhookEvent {
  readonly schema: 1;
  /** `evt_` and 24 lower-case letters or digits, derived from the object and the sequence. */
  readonly id: string;
  readonly format: WebhookFormat;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** A name such as `payment_intent.succeeded`. */
  readonly type: string;
  readonly createdAtMs: number;
  /**
   * The object of the event, and the number of the event among the object's events. Each endpoint
   * gets the first attempts in this order.
   */
  readonly objectId: string;
  readonly sequence: number;
  /** The immutable state of the object at that time, without the envelope of its format. */
  readonly data: { readonly object: object; readonly previous_attributes?: object };
  /**
   * The request that caused the event. Its members are null if the gateway or a deadline caused it.
   */
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null };
}

/** How long an event and a delivered delivery are stored. A dead delivery is stored for 90 days. */
export const WEBHOOK_EVENT_LIFETIME_MS = 30 * 86_400_000;

/** Returns the id of an object's event, which is equal for every attempt to store it. */
export function webhookEventId(objectId: string, sequence: number, digest: Digest): string {
  return prefixedId("evt_", digest(`webhook-event ${objectId}/${sequence}`));
}
