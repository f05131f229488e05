import type { WebhookFormat } from "./webhook-event.ts";

/** Endpoints of one merchant, or of one partner. */
export const WEBHOOK_ENDPOINTS_MAX = 16;

/** Whose an endpoint is. A partner's gets the events of all of its merchants, each with its `merchantId`. */
export type WebhookOwner =
  | { readonly type: "merchant"; readonly merchantId: string }
  | { readonly type: "partner"; readonly partnerId: number };

/** An address to which events are posted. */
export interface WebhookEndpointRecord {
  readonly schema: 1;
  /** `we_` and 24 letters or digits. */
  readonly id: string;
  readonly owner: WebhookOwner;
  readonly format: WebhookFormat;
  readonly livemode: boolean;
  readonly url: string;
  /** Names of events, or `*` for all of its format. */
  readonly events: readonly string[];
  /** The version that its events name; null: none is named (partners' and the portal's). */
  readonly apiVersion: string | null;
  readonly description: string | null;
  readonly metadata: { readonly [name: string]: string };
  readonly status: "enabled" | "disabled";
  /** Why the relay disabled it: it answered 410, or nothing was delivered for five days. Null where its owner did, or nobody. */
  readonly disabledReason: "gone" | "failing" | null;
  /** Its secrets, the newest first, each sealed for `webhookSecretPlace`; an older one signs beside it until `untilMs`. A partner's endpoint has none. */
  readonly secrets: readonly WebhookSecret[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface WebhookSecret {
  readonly sealed: string;
  /** Null for the present one. */
  readonly untilMs: number | null;
}

/** The place that an endpoint's secret is sealed for. */
export function webhookSecretPlace(endpointId: string): string {
  return `webhook-endpoint/${endpointId}`;
}
