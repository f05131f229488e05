import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { deliveryId, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { DeliveryState, WebhookDeliveryStore } from "./webhook-delivery-store.ts";

/** Deliveries to one endpoint, for its owner. The caller has already checked the owner. */
export interface EndpointDeliveries {
  /**
   * Lists the oldest deliveries first, in one state or (null) in all; `after` is the last `id` of
   * the previous page. Throws RelayError `invalid_request` if that delivery no longer exists or
   * belongs to another endpoint.
   */
  list(endpointId: string, state: DeliveryState | null, after: string | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  /** Resolves with null if the endpoint has no such delivery. Throws like `resendDelivery`. */
  resend(endpointId: string, id: string): Promise<WebhookDeliveryRecord | null>;
}

export interface EndpointDeliveriesOptions {
  deliveries: WebhookDeliveryStore;
  clock: Clock;
}

export function createEndpointDeliveries({ deliveries, clock }: EndpointDeliveriesOptions): EndpointDeliveries {
  return {
    list: async (endpointId, state, after, limit) => {
      const last = after === null ? null : await loaded(deliveries, endpointId, after);
      if (after !== null && last === null)
        throw new RelayError("invalid_request", "after: this delivery no longer exists; start again without it");
      const states = state === null ? null : [state];
      const page = await deliveries.ofEndpoints({ endpointIds: [endpointId], states, after: last, limit, order: "oldest first" });
      return [...page.found];
    },
    resend: async (endpointId, id) => ((await loaded(deliveries, endpointId, id)) === null ? null : resendDelivery(deliveries, clock, id)),
  };
}

/** Loads a delivery of the endpoint. Requests supply ids without any check. */
async function loaded(deliveries: WebhookDeliveryStore, endpointId: string, id: string): Promise<WebhookDeliveryRecord | null> {
  const eventId = id.slice(0, id.indexOf("."));
  if (id !== deliveryId(eventId, endpointId)) return null;
  return (await deliveries.load(id))?.record ?? null;
}
