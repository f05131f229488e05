import type { WebhookEvent } from "../../engine/webhooks/webhook-event.ts";

/**
 * An event as the platform writes it: in the body of a webhook, and in the answers of `/v1/events`. `apiVersion` is the receiving endpoint's, or the
 * reading merchant's; of one event nothing else differs between two receivers. `pending`: deliveries that have neither succeeded nor been given up.
 */
export function eventEnvelope(event: WebhookEvent, { apiVersion, pending }: { apiVersion: string; pending: number }) {
  const { id, createdAtMs, data, livemode, request, type } = event;
  return {
    id,
    object: "event" as const,
    api_version: apiVersion,
    created: Math.floor(createdAtMs / 1_000),
    data,
    livemode,
    pending_webhooks: pending,
    request: { id: request.id, idempotency_key: request.idempotencyKey },
    type,
  };
}
