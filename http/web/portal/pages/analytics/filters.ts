import type { Comparison, Granularity } from "../../../../surfaces/merchant/analytics/schemas.ts";
import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { text } from "../../i18n/texts.ts";
import { type Days, daysOf } from "./period.ts";

/** Each tab shows a report of its own. */
export const TABS = ["payments", "methods", "terminals", "links", "disputes", "subscriptions", "agents"] as const;
export type TabName = (typeof TABS)[number];

/** All filters in the address. `days` is set while a custom period is being chosen. */
export const FILTERS = ["tab", "from", "to", "days", "compare", "granularity", "currency", "terminalId", "method"] as const;

/** Only reports of payments can be filtered by terminal and method. */
export function isOfPayments(tab: TabName): boolean {
  return tab === "payments" || tab === "methods" || tab === "terminals";
}

export const GRANULARITIES = ["hour", "day", "week", "month"] as const satisfies readonly Granularity[];
export const COMPARISONS = ["previous", "year", "none"] as const satisfies readonly Comparison[];

/**
 * The report that the address asks for. Invalid values are ignored, because people may edit an
 * address.
 */
export interface Shown {
  tab: TabName;
  days: Days;
  compare: Comparison;
  /** Null if the number of days decides. */
  granularity: Granularity | null;
  /** Null for the currency with the largest figures. */
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
    // A terminal may report any text as a currency. A report without this currency shows another.
    currency: currency === "" ? null : currency,
    terminalId: isOfPayments(tab) && /^[A-Za-z0-9._-]{1,64}$/.test(terminalId) ? terminalId : null,
    method: isOfPayments(tab) && method !== undefined && isMethod(method) ? method : null,
  };
}

function isMethod(name: string): name is TransactionItemJson["method"] {
  return Object.hasOwn(text().methods, name);
}

/** Returns the query of a report. It returns all currencies, so switching needs no request. */
export function queryOf({ tab, days, compare, granularity, terminalId, method }: Shown): Record<string, string> {
  return {
    ...days,
    compare,
    ...(granularity === null ? {} : { granularity }),
    ...(isOfPayments(tab) && terminalId !== null ? { terminalId } : {}),
    ...(isOfPayments(tab) && method !== null ? { method } : {}),
  };
}

/** Returns the same filters for the list of transactions. */
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
