import type { Metadata } from "../kernel/metadata.ts";
import type { WebhookEvent, WebhookFormat } from "./webhook-event.ts";

/** Endpoints of one merchant, or of one partner. */
export const WEBHOOK_ENDPOINTS_MAX = 16;

/** Whose an endpoint is. A partner's gets the events of all of its merchants, each with its `merchantId`. */
export type WebhookOwner =
  | { readonly type: "merchant"; readonly merchantId: string }
  | { readonly type: "partner"; readonly partnerId: number };

export const WEBHOOK_DISABLED_REASONS = ["gone", "failing", "key_leaked"] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

export type WebhookMaker = { readonly type: "user" } | { readonly type: "key"; readonly keyId: string };

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
  readonly metadata: Metadata;
  readonly status: "enabled" | "disabled";
  /**
   * Why the relay disabled it: it answered 410, nothing was delivered for five days, or the key that
   * made it leaked. Null where its owner did, or nobody.
   */
  readonly disabledReason: WebhookDisabledReason | null;
  /**
   * Who made it, or the secret key that has changed it since. Absent in a partner's, and in records
   * from before this was kept.
   */
  readonly madeBy?: WebhookMaker;
  /** Its secrets, the newest first, each sealed for `webhookSecretPlace`; an older one signs beside it until `untilMs`. A partner's endpoint has none. */
  readonly secrets: readonly WebhookSecret[];
  /** The operations that replaced its secret, the latest first, at most SECRET_ROLLS_KEPT: a repetition of one replaces nothing. */
  readonly rolls: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface WebhookSecret {
  readonly sealed: string;
  /** Null for the present one. */
  readonly untilMs: number | null;
  /** The operation that made it. */
  readonly madeBy: string;
}

/** The place that an endpoint's secret is sealed for. */
export function webhookSecretPlace(endpointId: string): string {
  return `webhook-endpoint/${endpointId}`;
}

/** A secret may be replaced again while others still sign beside it: so many at once, the oldest ones end first. */
export const WEBHOOK_SECRETS_MAX = 4;

/** More than anybody replaces secrets while a request is still repeated. */
export const SECRET_ROLLS_KEPT = 16;

/** How long a replaced secret may go on signing, and how long it does unless something else is asked for. */
export const SECRET_OVERLAP_MAX_MS = 7 * 86_400_000;
export const SECRET_OVERLAP_DEFAULT_MS = 86_400_000;

/** An endpoint to which nothing could be delivered for this long is disabled, once so many events were given up. */
export const FAILING_AFTER_MS = 5 * 86_400_000;
export const FAILING_DEAD_MIN = 20;

/** What was given up since something was last delivered to an endpoint. */
export interface WebhookHealth {
  readonly schema: 1;
  /** When the first of them was due first. */
  readonly sinceMs: number;
  readonly dead: number;
}

/** Whether an endpoint gets an event. */
export function isSubscribed({ status, format, livemode, events }: WebhookEndpointRecord, event: WebhookEvent): boolean {
  if (status !== "enabled" || format !== event.format || livemode !== event.livemode) return false;
  return events.includes("*") || events.includes(event.type);
}

/** Its secrets that sign at this time, the newest first. */
export function liveSecrets({ secrets }: WebhookEndpointRecord, atMs: number): readonly WebhookSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs);
}

/** Whether nothing came through for so long, and so often, that there is no use in going on. */
export function isFailing({ sinceMs, dead }: WebhookHealth, atMs: number): boolean {
  return dead >= FAILING_DEAD_MIN && atMs - sinceMs >= FAILING_AFTER_MS;
}
