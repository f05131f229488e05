import type { Comparison, Granularity } from "../../../../surfaces/merchant/analytics/schemas.ts";
import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { text } from "../../i18n/texts.ts";
import { type Days, daysOf } from "./period.ts";

/** A report of its own each. */
export const TABS = ["payments", "methods", "terminals", "links", "disputes", "subscriptions", "agents"] as const;
export type TabName = (typeof TABS)[number];

/** All that the address says of this page; `days` where other days are being chosen. */
export const FILTERS = ["tab", "from", "to", "days", "compare", "granularity", "currency", "terminalId", "method"] as const;

/** Reports of payments are narrowed to a terminal and a method; what is no payment has neither. */
export function isOfPayments(tab: TabName): boolean {
  return tab === "payments" || tab === "methods" || tab === "terminals";
}

export const GRANULARITIES = ["hour", "day", "week", "month"] as const satisfies readonly Granularity[];
export const COMPARISONS = ["previous", "year", "none"] as const satisfies readonly Comparison[];

/** What is shown, as the address says it. What could be none there is left out: an address may be typed. */
export interface Shown {
  tab: TabName;
  days: Days;
  compare: Comparison;
  /** Null: as the days are many. */
  granularity: Granularity | null;
  /** Null: that with the most. */
  currency: string | null;
  terminalId: string | null;
  method: TransactionItemJson["method"] | null;
}

export function shownBy(values: Readonly<Record<string, string>>): Shown {
  const tab = TABS.find((name) => name === values["tab"]) ?? "payments";
  const currency = values["currency"] ?? "";
  const terminalId = values["terminalId"] ?? "";
  const method = Object.keys(text().methods).find((name) => name === values["method"]);
  return {
    tab,
    days: daysOf(values),
    compare: COMPARISONS.find((name) => name === values["compare"]) ?? "previous",
    granularity: GRANULARITIES.find((name) => name === values["granularity"]) ?? null,
    // Whatever a terminal wrote in the place of one is there, too; a report that has no such currency shows another.
    currency: currency === "" ? null : currency,
    terminalId: isOfPayments(tab) && /^[A-Za-z0-9._-]{1,64}$/.test(terminalId) ? terminalId : null,
    method: isOfPayments(tab) && method !== undefined && isMethod(method) ? method : null,
  };
}

function isMethod(name: string): name is TransactionItemJson["method"] {
  return Object.hasOwn(text().methods, name);
}

/** What a report is asked with. All currencies come at once, so that another one is shown without asking. */
export function queryOf({ tab, days, compare, granularity, terminalId, method }: Shown): Record<string, string> {
  return {
    ...days,
    compare,
    ...(granularity === null ? {} : { granularity }),
    ...(isOfPayments(tab) && terminalId !== null ? { terminalId } : {}),
    ...(isOfPayments(tab) && method !== null ? { method } : {}),
  };
}

/** The same filters, as the list of transactions has them. */
export function transactionFilters(shown: Pick<Shown, "terminalId" | "method">, days: Days, currency: string): Record<string, string> {
  const { terminalId, method } = shown;
  return {
    from: days.from,
    to: days.to,
    currency,
    ...(terminalId === null ? {} : { terminalId }),
    ...(method === null ? {} : { method }),
  };
}
