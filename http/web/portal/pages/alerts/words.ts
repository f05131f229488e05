import type { AlertJson, AlertRuleJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { isDay } from "../../i18n/days.ts";
import { text } from "../../i18n/texts.ts";

/** All of them; the relay decides by ALERT_STATES and ALERT_SOURCES of the engine. */
export const STATES = ["PENDING", "AUTO_REFUND", "REFUNDED", "DECLINED", "PREVENTED"] as const satisfies readonly AlertJson["state"][];
export const SOURCES = ["ETHOCA", "CDRN", "RDR", "OTHER"] as const satisfies readonly AlertJson["source"][];
/** Those that rules may name: with RDR the network moves the money. */
export const RULE_SOURCES = ["ETHOCA", "CDRN", "OTHER"] as const satisfies NonNullable<AlertRuleJson["sources"]>;

/** Where an alert is opened, with the list's filters behind it. */
export function alertHref(id: string, query = ""): string {
  return `/portal/alerts/${encodeURIComponent(id)}${query === "" ? "" : `?${query}`}`;
}

/** The list, narrowed to this. */
export function alertsHref(filters: Readonly<Record<string, string>>): string {
  return `/portal/alerts?${new URLSearchParams(filters).toString()}`;
}

export const RULES_HREF = "/portal/alerts?tab=rules";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = ["state", "source", "currency", "from", "to"] as const;

/** What the interface is asked with; those that wait for a decision by their deadlines. A member of the address that could be none is left out. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  const valid: Readonly<Record<string, (value: string) => boolean>> = {
    state: (value) => STATES.some((state) => state === value),
    source: (value) => SOURCES.some((source) => source === value),
    currency: (value) => /^[A-Z]{3}$/.test(value),
    from: isDay,
    to: isDay,
  };
  const asked = Object.fromEntries(Object.entries(values).filter(([name, value]) => valid[name]?.(value) ?? true));
  return asked["state"] === "PENDING" ? { ...asked, order: "due" } : asked;
}

/** A method in the person's words; one that the page has none for as it is. */
export function methodText(method: string): string {
  const known: Readonly<Record<string, string>> = text().methods;
  return (Object.hasOwn(known, method) ? known[method] : undefined) ?? method;
}
