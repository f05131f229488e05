/** What of an event the platform's form shows. */
export interface ShownEvent {
  readonly id: string;
  readonly type: string;
  readonly createdAtMs: number;
  readonly livemode: boolean;
  readonly data: object;
  readonly request: { readonly id: string | null; readonly idempotencyKey: string | null };
}

/** An event as the compatible platform writes it: the same in webhooks and in answers. */
export function platformEvent(event: ShownEvent, told: { readonly apiVersion: string | null; readonly pendingWebhooks: number }) {
  return {
    id: event.id,
    object: "event",
    api_version: told.apiVersion,
    created: Math.floor(event.createdAtMs / 1_000),
    data: event.data,
    livemode: event.livemode,
    pending_webhooks: told.pendingWebhooks,
    request: { id: event.request.id, idempotency_key: event.request.idempotencyKey },
    type: event.type,
  };
}
