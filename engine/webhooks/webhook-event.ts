import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";

/** The formats of webhooks: which events there are, how they are written, and which signatures they carry. */
export type WebhookFormat = "platform" | "portal";

/**
 * Something that happened, as it is told to those who subscribed to its type. It is stored in the commit that makes it true, is never changed
 * afterwards, and is kept for 30 days.
 */
export interface WebhookEvent {
  readonly schema: 1;
  /** `evt_` and 24 letters or digits, derived from the object and the sequence. */
  readonly id: string;
  readonly format: WebhookFormat;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** `payment_intent.succeeded`. */
  readonly type: string;
  readonly createdAtMs: number;
  /** What it is about, and its place among the events of that; each endpoint gets their first attempts in this order. */
  readonly objectId: string;
  readonly sequence: number;
  /** Frozen: what the object was then, without its format's envelope. */
  readonly data: { readonly object: object; readonly previous_attributes?: object };
  /** The request that caused it; null members for what the gateway or the time caused. */
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null };
}

/** How long an event, and a delivery that was made, is kept; a delivery that was given up is kept for 90 days. */
export const WEBHOOK_EVENT_LIFETIME_MS = 30 * 86_400_000;

/** The id of an object's event: the same for every attempt to store it. */
export function webhookEventId(objectId: string, sequence: number, digest: Digest): string {
  return prefixedId("evt_", digest(`webhook-event ${objectId}/${sequence}`));
}
