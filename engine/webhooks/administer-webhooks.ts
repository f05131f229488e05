import type { WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookEndpointRecord } from "./webhook-endpoint.ts";

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
