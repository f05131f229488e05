import type { TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { text } from "../../i18n/texts.ts";

/** Where a transaction is opened, with the list's filters behind it. */
export function transactionHref(uuid: string, query = ""): string {
  return `/portal/transactions/${encodeURIComponent(uuid)}${query === "" ? "" : `?${query}`}`;
}

/** The list, narrowed to this. */
export function transactionsHref(filters: Readonly<Record<string, string>>): string {
  return `/portal/transactions?${new URLSearchParams(filters).toString()}`;
}

export function methodName(method: TransactionItemJson["method"]): string {
  return text().methods[method];
}
