import type { WebhookEndpointJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { text } from "../../i18n/texts.ts";

/** The filters of the list of deliveries, as the address and the interface name them. */
export const FILTERS = ["endpointId", "outcome", "eventType", "objectId"] as const;

export const OUTCOMES = ["PENDING", "DELIVERED", "FAILED"] as const;

/** What the interface is asked with. A member of the address that could be none is left out: an address may be typed. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    endpointId: (value) => /^we_[a-z0-9]{24}$/.test(value),
    outcome: (value) => OUTCOMES.some((outcome) => outcome === value),
    eventType: (value) => value.length <= 100,
    objectId: (value) => value.length <= 100,
  };
  return Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) === true));
}

/** Endpoints, or deliveries with their filters; `id` opens one of either. */
export function webhooksHref(
  tab: "endpoints" | "deliveries",
  { id = null, query = "" }: { id?: string | null; query?: string } = {},
): string {
  const path = id === null ? "/portal/webhooks" : `/portal/webhooks/${encodeURIComponent(id)}`;
  if (tab === "endpoints") return path;
  return `${path}?tab=deliveries${query === "" ? "" : `&${query}`}`;
}

/** An address without what all of them have, as there is little room for it. */
export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, "");
}

/** Which events an endpoint gets, in a few words. */
export function eventsText(events: WebhookEndpointJson["events"]): string {
  const { webhooks: words } = text();
  if (events.includes("*")) return words.allEvents;
  const [first = ""] = events;
  return events.length === 1 ? first : words.someEvents(events.length);
}
