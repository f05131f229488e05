import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { EndpointStops } from "./endpoint-stops.ts";
import { resentDelivery, WEBHOOK_DEAD_LIFETIME_MS, type WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookDeliveryStore } from "./webhook-delivery-store.ts";
import type { WebhookEndpointRecord } from "./webhook-endpoint.ts";
import type { WebhookEndpointStore } from "./webhook-endpoint-store.ts";

/** Of whatever owner, for an administrator. */
export interface AdministerWebhooks {
  /** By age, the oldest first; `after` is the `id` of the last one of the page before. Throws RelayError `invalid_request` for one that is not there any more. */
  deliveries(state: WebhookDeliveryRecord["state"], after: string | null, limit: number): Promise<WebhookDeliveryRecord[]>;
  delivery(id: string): Promise<WebhookDeliveryRecord | null>;
  /**
   * Has it sent at once, with all its attempts again, whatever its state; null where there is none. Throws RelayError `conflict` while it is being
   * changed, or where its endpoint is disabled or gone.
   */
  resend(id: string): Promise<WebhookDeliveryRecord | null>;
  /** By id; `after` is the `id` of the last one of the page before. */
  endpoints(after: string | null, limit: number): Promise<WebhookEndpointRecord[]>;
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
  return {
    deliveries: async (state, after, limit) => {
      const last = after === null ? null : await deliveries.load(after);
      if (after !== null && last === null) throw new RelayError("invalid_request", "after: is not there any more; begin again");
      return deliveries.page(state, last?.record ?? null, limit);
    },
    delivery: async (id) => (await deliveries.load(id))?.record ?? null,
    resend: async (id) => {
      const stored = await deliveries.load(id);
      if (stored === null) return null;
      const { event, endpoint } = await deliveries.context(stored.record);
      if (event === null) throw new RelayError("conflict", "Its event is not kept any more");
      if (endpoint?.record.status !== "enabled") throw new RelayError("conflict", "Its endpoint is disabled or removed");
      const atMs = clock.nowMs();
      const record = resentDelivery(stored.record, atMs);
      if (await deliveries.resent(stored, record, event, atMs + WEBHOOK_DEAD_LIFETIME_MS)) return record;
      throw new RelayError("conflict", "It is being sent just now", { retryAfterSeconds: 1 });
    },
    endpoints: (after, limit) => endpoints.page(after, limit),
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
