import type { Page, PageQuery } from "../kernel/page.ts";
import type { WebhookEndpointRecord, WebhookOwner } from "./webhook-endpoint.ts";
import type { WebhookFormat } from "./webhook-event.ts";

export interface WebhookEndpointOrder {
  readonly format: WebhookFormat;
  readonly livemode: boolean;
  readonly url: string;
  readonly events: readonly string[];
  readonly apiVersion: string | null;
  readonly description: string | null;
  readonly metadata: { readonly [name: string]: string };
}

/** Absent members stay as they are. */
export interface WebhookEndpointChange {
  readonly url?: string;
  readonly events?: readonly string[];
  readonly description?: string | null;
  readonly metadata?: { readonly [name: string]: string };
  readonly disabled?: boolean;
}

/**
 * The endpoints of merchants and partners. What is another owner's, or of the other environment, is null, as if it were not there. Throws RelayError
 * `invalid_request` for an address that may not be called, `unavailable` when the store cannot answer.
 */
export interface WebhookEndpoints {
  /** Idempotent by `operationId`, from which its id is derived. `secret` is shown here only. `full`: WEBHOOK_ENDPOINTS_MAX are there. */
  create(
    owner: WebhookOwner,
    order: WebhookEndpointOrder,
    operationId: string,
  ): Promise<{ type: "created"; endpoint: WebhookEndpointRecord; secret: string } | { type: "full" }>;
  find(owner: WebhookOwner, livemode: boolean, id: string): Promise<WebhookEndpointRecord | null>;
  /** Newest first; null where the cursor is none of them. */
  list(owner: WebhookOwner, livemode: boolean, query: PageQuery): Promise<Page<WebhookEndpointRecord> | null>;
  /** Disabling it ends what is still to be delivered to it; enabling it forgets why it was disabled. */
  change(owner: WebhookOwner, livemode: boolean, id: string, change: WebhookEndpointChange): Promise<WebhookEndpointRecord | null>;
  /** Ends what is still to be delivered to it. False where there is none. */
  remove(owner: WebhookOwner, livemode: boolean, id: string): Promise<boolean>;
  /** A new secret; the present one goes on signing beside it for `overlapMs` (0 to 7 days). */
  rollSecret(
    owner: WebhookOwner,
    livemode: boolean,
    id: string,
    overlapMs: number,
  ): Promise<{ endpoint: WebhookEndpointRecord; secret: string } | null>;
}
