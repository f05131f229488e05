import type { Metadata } from "../kernel/metadata.ts";
import type { WebhookEvent, WebhookFormat } from "./webhook-event.ts";

/** Maximum number of endpoints of one merchant or one partner. */
export const WEBHOOK_ENDPOINTS_MAX = 16;

/**
 * The owner of an endpoint. A partner's endpoint gets the events of all of its merchants, each with
 * its `merchantId`.
 */
export type WebhookOwner =
  | { readonly type: "merchant"; readonly merchantId: string }
  | { readonly type: "partner"; readonly partnerId: number };

export const WEBHOOK_DISABLED_REASONS = ["gone", "failing", "key_leaked"] as const;
export type WebhookDisabledReason = (typeof WEBHOOK_DISABLED_REASONS)[number];

export type WebhookMaker = { readonly type: "user" } | { readonly type: "key"; readonly keyId: string };

/** An address that receives events. */
export interface WebhookEndpointRecord {
  readonly schema: 1;
  /** `we_` and 24 lower-case letters or digits. */
  readonly id: string;
  readonly owner: WebhookOwner;
  readonly format: WebhookFormat;
  readonly livemode: boolean;
  readonly url: string;
  /** Names of events, or `*` for all events of its format. */
  readonly events: readonly string[];
  /** The version in its events. Null if events name none, as for partners and the portal. */
  readonly apiVersion: string | null;
  readonly description: string | null;
  readonly metadata: Metadata;
  readonly status: "enabled" | "disabled";
  /**
   * Why the relay disabled the endpoint: it answered 410, nothing was delivered for five days, or
   * the key that created it leaked. Null if the relay did not disable it.
   */
  readonly disabledReason: WebhookDisabledReason | null;
  /**
   * The user who created the endpoint, or the secret key that created or last changed it. Absent
   * for a partner's endpoint, and in records created before this member existed.
   */
  readonly madeBy?: WebhookMaker;
  /**
   * The secrets of the endpoint, the newest first, each sealed for `webhookSecretPlace`. Older ones
   * also sign until `untilMs`. A partner's endpoint has none.
   */
  readonly secrets: readonly WebhookSecret[];
  /**
   * The operations that replaced the secret, the latest first, SECRET_ROLLS_KEPT at most. Repeating
   * one of them replaces nothing.
   */
  readonly rolls: readonly string[];
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}

export interface WebhookSecret {
  readonly sealed: string;
  /** Null for the current secret. */
  readonly untilMs: number | null;
  /** The operation that created the secret. */
  readonly madeBy: string;
}

/** Returns the place for which an endpoint's secret is sealed. */
export function webhookSecretPlace(endpointId: string): string {
  return `webhook-endpoint/${endpointId}`;
}

/**
 * Maximum number of secrets that sign at once. A secret may be replaced while older ones still
 * sign, and the oldest ones end first.
 */
export const WEBHOOK_SECRETS_MAX = 4;

/** More replacements than anyone makes while a request is still repeated. */
export const SECRET_ROLLS_KEPT = 16;

/** How long a replaced secret may still sign, and how long it does by default. */
export const SECRET_OVERLAP_MAX_MS = 7 * 86_400_000;
export const SECRET_OVERLAP_DEFAULT_MS = 86_400_000;

/**
 * An endpoint is disabled if nothing was delivered to it for this long and at least this many
 * deliveries are dead.
 */
export const FAILING_AFTER_MS = 5 * 86_400_000;
export const FAILING_DEAD_MIN = 20;

/** The dead deliveries since the last success of an endpoint. */
export interface WebhookHealth {
  readonly schema: 1;
  /** When the first of them was created. */
  readonly sinceMs: number;
  readonly dead: number;
}

/** Returns true if the endpoint gets the event. */
export function isSubscribed({ status, format, livemode, events }: WebhookEndpointRecord, event: WebhookEvent): boolean {
  if (status !== "enabled" || format !== event.format || livemode !== event.livemode) return false;
  return events.includes("*") || events.includes(event.type);
}

/** Returns the secrets that sign at this time, the newest first. */
export function liveSecrets({ secrets }: WebhookEndpointRecord, atMs: number): readonly WebhookSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs);
}

/**
 * Returns true if deliveries have failed for so long, and so often, that the endpoint is disabled.
 */
export function isFailing({ sinceMs, dead }: WebhookHealth, atMs: number): boolean {
  return dead >= FAILING_DEAD_MIN && atMs - sinceMs >= FAILING_AFTER_MS;
}
