import type { WebhookEndpointJson } from "../../../../surfaces/merchant/webhooks/schemas.ts";
import { text } from "../../i18n/texts.ts";

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
