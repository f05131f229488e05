import { PLATFORM_EVENT_TYPES } from "../../../../engine/intents/events.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_EVENT_TYPES } from "../../../../engine/webhooks/portal-events.ts";
import type { WebhookFormat } from "../../../../engine/webhooks/webhook-event.ts";
import { iso } from "../../../endpoint/time.ts";
import { distinctEvents } from "../../parts/webhook-members.ts";

/** The events that each format offers. */
export const EVENTS_OFFERED: Readonly<Record<WebhookFormat, readonly string[]>> = {
  portal: PORTAL_EVENT_TYPES,
  platform: PLATFORM_EVENT_TYPES,
};

/**
 * Returns the names of events as they are stored. Accepts any name that the endpoint already has,
 * because the platform's interface accepts all. Throws RelayError `invalid_request` for other
 * names.
 */
export function eventsOf(format: WebhookFormat, names: readonly string[], known: readonly string[] = []): string[] {
  const events = distinctEvents(names);
  const unknown = events.find((name) => name !== "*" && !EVENTS_OFFERED[format].includes(name) && !known.includes(name));
  if (unknown !== undefined)
    throw new RelayError("invalid_request", `events: the format ${format} has no event with this name: ${unknown}`);
  return events;
}

/** Reads the time of an earlier response, in milliseconds. Throws RelayError `invalid_request`. */
export function seenMsOf(seen: string): number {
  const ms = Date.parse(seen);
  if (Number.isNaN(ms) || iso(ms) !== seen) throw new RelayError("invalid_request", "seen: must be the `updatedAt` of a response");
  return ms;
}
