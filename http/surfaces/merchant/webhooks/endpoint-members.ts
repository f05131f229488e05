import { PLATFORM_EVENT_TYPES } from "../../../../engine/intents/events.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_EVENT_TYPES } from "../../../../engine/webhooks/portal-events.ts";
import type { WebhookFormat } from "../../../../engine/webhooks/webhook-event.ts";
import { iso } from "../../../endpoint/time.ts";
import { distinctEvents } from "../../parts/webhook-members.ts";

/** The events that each format has. */
export const EVENTS_OFFERED: Readonly<Record<WebhookFormat, readonly string[]>> = {
  portal: PORTAL_EVENT_TYPES,
  platform: PLATFORM_EVENT_TYPES,
};

/**
 * The names of events as they are stored. Those that the endpoint has already are accepted too: the platform's interface takes any. Throws RelayError
 * `invalid_request` for others.
 */
export function eventsOf(format: WebhookFormat, names: readonly string[], known: readonly string[] = []): string[] {
  const events = distinctEvents(names);
  const unknown = events.find((name) => name !== "*" && !EVENTS_OFFERED[format].includes(name) && !known.includes(name));
  if (unknown !== undefined)
    throw new RelayError("invalid_request", `events: the format ${format} has no event with this name: ${unknown}`);
  return events;
}

/** The time that an answer said, in milliseconds. Throws RelayError `invalid_request`. */
export function seenMsOf(seen: string): number {
  const ms = Date.parse(seen);
  if (Number.isNaN(ms) || iso(ms) !== seen) throw new RelayError("invalid_request", "seen: must be the `updatedAt` of a response");
  return ms;
}
