import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import { resendDelivery } from "./resend-delivery.ts";
import type { WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { DeliveryState, WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";

/** To which endpoints: all, one, or those of a merchant. */
export type DeliveriesTo = { readonly type: "all" } | { readonly type: "endpoint" | "merchant"; readonly id: string };

/** Of whatever owner, for an administrator. */
export interface AdministerWebhooks {
  /**
   * By age, the oldest first; `after` is the `id` of the last one of the page before. Throws RelayError `invalid_request` for one that is not there any more. Of a
   * merchant: those to the endpoints that it has now.
   */
  deliveries(state: DeliveryState, to: DeliveriesTo, after: string | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  delivery(id: string): Promise<WebhookDeliveryRecord | null>;
  /** As `resendDelivery` does. */
  resend(id: string): Promise<WebhookDeliveryRecord | null>;
  /** By id, of all owners or of one merchant; `after` is the `id` of the last one of the page before. */
  endpoints(merchantId: string | null, after: string | null, limit: number): Promise<WebhookEndpointRecord[]>;
  endpoint(id: string): Promise<WebhookEndpointRecord | null>;
  /** As its owner would; ends what is still to be delivered to it. Null where there is none. */
  disableEndpoint(id: string): Promise<WebhookEndpointRecord | null>;
}

export interface AdministerWebhooksOptions {
  deliveries: WebhookDeliveryStore;
  endpoints: WebhookEndpointStore;
  stops: EndpointStops;
  clock: Clock;
}

const CHANGES_MAX = 16;

export function createAdministerWebhooks({ deliveries, endpoints, stops, clock }: AdministerWebhooksOptions): AdministerWebhooks {
  async function ofMerchant(merchantId: string, after: string | null, limit: number): Promise<WebhookEndpointRecord[]> {
    return [...(await endpoints.ofOwner({ type: "merchant", merchantId }, after, limit)).endpoints];
  }

  return {
    deliveries: async (state, to, after, limit) => {
      const last = after === null ? null : await deliveries.load(after);
      if (after !== null && last === null)
        throw new RelayError("invalid_request", "after: this delivery no longer exists; start again without it");
      const place = last?.record ?? null;
      if (to.type === "all") return deliveries.page(state, place, limit);
      const ids = to.type === "endpoint" ? [to.id] : (await ofMerchant(to.id, null, WEBHOOK_ENDPOINTS_MAX)).map(({ id }) => id);
      const page = await deliveries.ofEndpoints({ endpointIds: ids, states: [state], after: place, limit, order: "oldest first" });
      return [...page.found];
    },
    delivery: async (id) => (await deliveries.load(id))?.record ?? null,
    resend: (id) => resendDelivery(deliveries, clock, id),
    endpoints: (merchantId, after, limit) => (merchantId === null ? endpoints.page(after, limit) : ofMerchant(merchantId, after, limit)),
    endpoint: async (id) => (await endpoints.load(id))?.record ?? null,
    disableEndpoint: async (id) => {
      const disabled = await retryOnConflict(CHANGES_MAX, async () => {
        const stored = await endpoints.load(id);
        if (stored === null || stored.record.status === "disabled") return stored?.record ?? null;
        const after = { ...stored.record, status: "disabled", disabledReason: null, updatedAtMs: clock.nowMs() } as const;
        return (await endpoints.replace(stored, after))?.record ?? CONFLICT;
      });
      if (disabled !== null) await stops.cancelWaiting(id);
      return disabled;
    },
  };
}
