import type { WebhookEndpointJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { text } from "../../i18n/texts.ts";

/**
 * The address of the endpoints, or of the deliveries with their filters. `id` opens one of them.
 */
export function webhooksHref(
  tab: "endpoints" | "deliveries",
  { id = null, query = "" }: { id?: string | null; query?: string } = {},
): string {
  const path = id === null ? "/portal/webhooks" : `/portal/webhooks/${encodeURIComponent(id)}`;
  if (tab === "endpoints") return path;
  return `${path}?tab=deliveries${query === "" ? "" : `&${query}`}`;
}

/** Leaves out the scheme, which all addresses share, to save room. */
export function shortUrl(url: string): string {
  return url.replace(/^https:\/\//, "");
}

/** Describes which events an endpoint receives. */
export function eventsText(events: WebhookEndpointJson["events"]): string {
  const { webhooks: words } = text();
  if (events.includes("*")) return words.allEvents;
  const [first = ""] = events;
  return events.length === 1 ? first : words.someEvents(events.length);
}
