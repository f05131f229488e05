import { addDays, type Day, hourNow, today } from "../../i18n/days.ts";
import { isDay } from "../../i18n/is-day.ts";
import { text } from "../../i18n/texts.ts";

/** The filters of the list, as the address and the interface name them. */
export const FILTERS = ["from", "to"] as const;

/** What the interface is asked with. A day of the address that is none is left out: an address may be typed. */
export function queryOf(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => isDay(value)));
}

/** Where a day is opened, with the list's filters behind it; without a day the list. */
export function reconciliationHref(day: Day | null, query = ""): string {
  return `/portal/reconciliation${day === null ? "" : `/${encodeURIComponent(day)}`}${query === "" ? "" : `?${query}`}`;
}

const CLOSES_AT_HOUR = 3;
const CLOSES_AFTER_DAYS = 2;

/** On which day it is closed, at three in the morning. */
export function closesOn(day: Day): Day {
  return addDays(day, CLOSES_AFTER_DAYS);
}

/** The day that is closed next. */
export function nextToClose(): Day {
  const closing = hourNow() < CLOSES_AT_HOUR ? today() : addDays(today(), 1);
  return addDays(closing, -CLOSES_AFTER_DAYS);
}

/** A state of a link or of a refund in the person's words; one that the page has none for as it is. */
export function stateText(of: "links" | "refunds", state: string): string {
  const known: Readonly<Record<string, string>> = of === "links" ? text().paymentLinks.states : text().reconciliation.refundStates;
  return (Object.hasOwn(known, state) ? known[state] : undefined) ?? state;
}
