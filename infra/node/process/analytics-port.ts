import type { MerchantLogs } from "../../../engine/operators/merchant-logs.ts";
import type { OutboxBacklog } from "../../../engine/operators/overview.ts";
import type { FedSearch } from "../../../engine/payments/fed-search.ts";
import type { TransactionList } from "../../../engine/payments/transaction-list.ts";
import type { ReconciliationRows } from "../../../engine/reconciliation/reconciliation-rows.ts";
import type { ActivityWriter } from "../../../storage/activity/activity-writer.ts";
import type { MerchantReportReader } from "../../../storage/reports/merchant-reports.ts";
import type { FedRows } from "../../../storage/transactions/fed-commands.ts";
import type { MerchantTransactionReader } from "../../../storage/transactions/merchant-transactions.ts";
import type { NodeGauges } from "../observability/node-metrics.ts";

/** ClickHouse and what feeds it. The relay runs without it: results wait in the outbox, and only the list of transactions answers 503. */
export interface Analytics {
  list: TransactionList;
  /** The same of merchants, for their portal. */
  merchants: MerchantTransactionReader;
  /** What their portal counts of them. */
  reports: MerchantReportReader;
  /** What the days of merchants are closed by. */
  days: ReconciliationRows;
  /** By uuid, over all terminals. */
  search: FedSearch;
  /** The logs of merchants: what this node writes, and what all have written. */
  activity: Pick<ActivityWriter, "add" | "stats">;
  logs: MerchantLogs;
  /**
   * What ClickHouse knows about the store, needed before the node starts. Resolves when ClickHouse can be reached and its schema is
   * current; with null if the first attempt has failed, or (`patienceMs`) none has succeeded in time.
   */
  reached(patienceMs: number | "one attempt"): Promise<FedRows | null>;
  /** Inserts the messages in Kafka into ClickHouse, if there is a Kafka; false if that was not finished in time. */
  drainKafka(withinMs: number): Promise<boolean>;
  /** Starts to deliver the outbox to ClickHouse. Called when the node listens: an embedded one takes as much of the processors as a shard that starts. */
  feed(): void;
  /** Resolves with ClickHouse's URL when it can be reached and its schema is current; with null if it cannot run here. */
  ready: Promise<string | null>;
  wake(): void;
  stats: NodeGauges["feed"];
  kafka: NodeGauges["kafka"];
  /** Whether ClickHouse answers and can read what it has; asked when metrics are requested. */
  isUp: NodeGauges["isClickHouseUp"];
  damagedParts: NodeGauges["damagedParts"];
  /** The rows that ClickHouse does not have yet, also while it cannot be reached; null if the store does not answer. */
  backlog(): Promise<OutboxBacklog | null>;
  stop(): Promise<void>;
}
