import type { WebhookEvent } from "../../engine/webhooks/webhook-event.ts";

/** An event as our own format writes it. `sequence` is its place among the events of the object: of two, the higher one is the later one, whichever arrives first. */
export function portalEnvelope({ id, type, createdAtMs, merchantId, livemode, objectId, sequence, data }: WebhookEvent) {
  return { id, type, createdAt: new Date(createdAtMs).toISOString(), merchantId, livemode, objectId, sequence, data };
}
