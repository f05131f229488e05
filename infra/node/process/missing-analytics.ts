import { missingMerchantLogs } from "../../../storage/activity/activity-reader.ts";
import { missingMerchantReports } from "../../../storage/reports/merchant-reports.ts";
import { missingReconciliationRows } from "../../../storage/reports/reconciliation-rows.ts";
import { missingFedSearch } from "../../../storage/transactions/fed-search.ts";
import { missingMerchantTransactions } from "../../../storage/transactions/merchant-transactions.ts";
import { missingTransactionList } from "../../../storage/transactions/transaction-list.ts";
import type { Analytics } from "./analytics-port.ts";

export const NO_FEED = { inserted: 0, failures: 0, poison: 0, deadLetters: 0 };

/** The readers of a node whose ClickHouse cannot answer, for this reason. */
export function missingReaders(reason: string): Pick<Analytics, "list" | "merchants" | "reports" | "days" | "search" | "logs"> {
  return {
    list: missingTransactionList(reason),
    merchants: missingMerchantTransactions(reason),
    reports: missingMerchantReports(reason),
    days: missingReconciliationRows(reason),
    search: missingFedSearch(reason),
    logs: missingMerchantLogs(reason),
  };
}

/** The analytics of a node that runs without them: every reader answers 503 with the reason. */
export function analyticsOff(): Analytics {
  return {
    ...missingReaders("this installation runs without analytics (RELAY_ANALYTICS=off)"),
    activity: { add: () => {}, stats: () => ({ written: 0, dropped: 0, waiting: 0 }) },
    reached: async () => null,
    drainKafka: async () => true,
    feed: () => {},
    ready: Promise.resolve(null),
    wake: () => {},
    stats: () => NO_FEED,
    kafka: () => null,
    isUp: async () => null,
    damagedParts: () => 0,
    backlog: async () => null,
    stop: async () => undefined,
  };
}
