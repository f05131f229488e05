import type { Page, PageQuery } from "../kernel/page.ts";
import type { WebhookDeliveryRecord } from "./webhook-delivery.ts";
import type { WebhookEvent } from "./webhook-event.ts";

/** An event with how many of its deliveries have neither succeeded nor been given up. */
export interface ShownEvent {
  readonly event: WebhookEvent;
  readonly pending: number;
}

/** The events of a merchant, for 30 days. Null is also the answer for another merchant's, or one of the other environment. */
export interface WebhookEvents {
  find(merchantId: string, livemode: boolean, id: string): Promise<ShownEvent | null>;
  /** Newest first; `types` null: all. Null where the cursor is none of them. */
  list(merchantId: string, livemode: boolean, query: PageQuery & { types: readonly string[] | null }): Promise<Page<ShownEvent> | null>;
  /** Has it delivered again at once, with all attempts, to one endpoint that is enabled and subscribed or to all of them. Null where one of both is not there. */
  retry(merchantId: string, livemode: boolean, id: string, endpointId: string | null): Promise<ShownEvent | null>;
  /** Its deliveries with their attempts. */
  deliveries(merchantId: string, livemode: boolean, id: string): Promise<readonly WebhookDeliveryRecord[]>;
}
