import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import { resendDelivery } from "./resend-delivery.ts";
import type { WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { DeliveryState, WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import { WEBHOOK_ENDPOINTS_MAX, type WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";

/** The endpoints whose deliveries are listed: all, one, or those of a merchant. */
export type DeliveriesTo = { readonly type: "all" } | { readonly type: "endpoint" | "merchant"; readonly id: string };

/** Operations of an administrator on the endpoints and deliveries of all owners. */
export interface AdministerWebhooks {
  /**
   * Lists the oldest deliveries first; `after` is the last `id` of the previous page. Throws
   * RelayError `invalid_request` if that delivery no longer exists. For a merchant it lists the
   * deliveries to its present endpoints.
   */
  deliveries(state: DeliveryState, to: DeliveriesTo, after: string | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  delivery(id: string): Promise<WebhookDeliveryRecord | null>;
  /** Works like `resendDelivery`. */
  resend(id: string): Promise<WebhookDeliveryRecord | null>;
  /**
   * Lists endpoints by id, of all owners or of one merchant; `after` is the last `id` of the
   * previous page.
   */
  endpoints(merchantId: string | null, after: string | null, limit: number): Promise<WebhookEndpointRecord[]>;
  endpoint(id: string): Promise<WebhookEndpointRecord | null>;
  /**
   * Disables an endpoint like its owner would, and cancels its waiting deliveries. Resolves with
   * null if it does not exist.
   */
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
