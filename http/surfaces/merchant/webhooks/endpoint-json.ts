import { PLATFORM_EVENT_TYPES } from "../../../../engine/intents/events.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_EVENT_TYPES } from "../../../../engine/webhooks/portal-events.ts";
import { liveSecrets, type WebhookEndpointRecord } from "../../../../engine/webhooks/webhook-endpoint.ts";
import type { WebhookFormat } from "../../../../engine/webhooks/webhook-event.ts";
import { iso } from "../../../endpoint/time.ts";
import { distinctEvents } from "../../parts/webhook-members.ts";
import type { WebhookEndpointJson } from "./schemas.ts";

/** The events that each format has. */
export const EVENTS_OFFERED: Readonly<Record<WebhookFormat, readonly string[]>> = {
  portal: PORTAL_EVENT_TYPES,
  platform: PLATFORM_EVENT_TYPES,
};

export const ENDPOINT_EXAMPLE: WebhookEndpointJson = {
  id: "we_1a2b3c4d5e6f7g8h9i0j1k2l",
  format: "portal",
  url: "https://shop.example/hooks",
  events: ["payment_link.paid", "payment.refunded"],
  description: "Order system",
  status: "enabled",
  disabledReason: null,
  formerSecretUntil: null,
  createdAt: "2026-03-01T09:30:00.000Z",
  updatedAt: "2026-03-01T09:30:00.000Z",
};

export function endpointJson(record: WebhookEndpointRecord, nowMs: number): WebhookEndpointJson {
  const { id, format, url, events, description, status, disabledReason, createdAtMs, updatedAtMs } = record;
  const endings = liveSecrets(record, nowMs).flatMap(({ untilMs }) => (untilMs === null ? [] : [untilMs]));
  return {
    ...{ id, format, url, events: [...events], description, status, disabledReason },
    formerSecretUntil: endings.length === 0 ? null : iso(Math.max(...endings)),
    createdAt: iso(createdAtMs),
    updatedAt: iso(updatedAtMs),
  };
}

/**
 * The names of events as they are stored. Those that the endpoint has already are accepted too: the platform's interface takes any. Throws RelayError
 * `invalid_request` for others.
 */
export function eventsOf(format: WebhookFormat, names: readonly string[], known: readonly string[] = []): string[] {
  const events = distinctEvents(names);
  const unknown = events.find((name) => name !== "*" && !EVENTS_OFFERED[format].includes(name) && !known.includes(name));
  if (unknown !== undefined) throw new RelayError("invalid_request", `events: the format ${format} has no event of this name: ${unknown}`);
  return events;
}

/** The time that an answer said, in milliseconds. Throws RelayError `invalid_request`. */
export function seenMsOf(seen: string): number {
  const ms = Date.parse(seen);
  if (Number.isNaN(ms) || iso(ms) !== seen) throw new RelayError("invalid_request", "seen: must be the `updatedAt` of an answer");
  return ms;
}
