import { addDays, type Day, hourNow, today } from "../../i18n/days.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

export const RECONCILIATION_LIST = {
  page: "reconciliation",
  path: "/reconciliation",
  filters: { from: { type: "day" }, to: { type: "day" }, activeOnly: { type: "flag", default: false } },
} as const satisfies ListDeclaration;

const CLOSES_AT_HOUR = 3;
const CLOSES_AFTER_DAYS = 2;

/** Returns the day on which this day is closed, at three in the morning. */
export function closesOn(day: Day): Day {
  return addDays(day, CLOSES_AFTER_DAYS);
}

export function nextToClose(): Day {
  const closing = hourNow() < CLOSES_AT_HOUR ? today() : addDays(today(), 1);
  return addDays(closing, -CLOSES_AFTER_DAYS);
}

/** Names the state of a link or refund. A state without a text is shown unchanged. */
export function stateText(of: "links" | "refunds", state: string): string {
  const known: Readonly<Record<string, string>> = of === "links" ? text().paymentLinks.states : text().reconciliation.refundStates;
  return (Object.hasOwn(known, state) ? known[state] : undefined) ?? state;
}
