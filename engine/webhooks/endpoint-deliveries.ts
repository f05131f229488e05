import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { resendDelivery } from "./resend-delivery.ts";
import { deliveryId, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { DeliveryState, WebhookDeliveryStore } from "./webhook-delivery-store.ts";

/** What was, or is to be, delivered to one endpoint, for its owner. Whose the endpoint is, the caller has asked before. */
export interface EndpointDeliveries {
  /**
   * By age, the oldest first, of one state or (null) of all; `after` is the `id` of the last one of the page before. Throws RelayError `invalid_request` for one that
   * is not there any more, or another endpoint's.
   */
  list(endpointId: string, state: DeliveryState | null, after: string | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  /** Null where there is none of this endpoint. Throws as `resendDelivery` does. */
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

/** Ids come out of requests as they are. */
async function loaded(deliveries: WebhookDeliveryStore, endpointId: string, id: string): Promise<WebhookDeliveryRecord | null> {
  const eventId = id.slice(0, id.indexOf("."));
  if (id !== deliveryId(eventId, endpointId)) return null;
  return (await deliveries.load(id))?.record ?? null;
}
