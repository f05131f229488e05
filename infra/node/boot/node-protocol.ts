import type { CallEntry, WorkflowEntry } from "../../../engine/kernel/activity-log.ts";
import type { MerchantScope } from "../../../engine/kernel/merchant-scope.ts";
import type { ClusterNode, NodeReport } from "../../../engine/operators/cluster-nodes.ts";
import type { LogPage, LogQuery } from "../../../engine/operators/merchant-logs.ts";
import type { Overview } from "../../../engine/operators/overview.ts";
import type { FedHit, FedWanted } from "../../../engine/payments/fed-search.ts";
import type {
  MerchantDay,
  MerchantTransaction,
  MerchantTransactionFilter,
  MerchantTransactionPage,
  TransactionKey,
} from "../../../engine/payments/merchant-transactions.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type { TransactionQuery } from "../../../engine/payments/transaction-list.ts";
import type { DayFigures } from "../../../engine/reconciliation/reconciliation.ts";
import type { DayBounds, ReconciliationRows } from "../../../engine/reconciliation/reconciliation-rows.ts";
import type { ReportKinds, ReportName } from "../../../engine/reports/merchant-reports.ts";
import type { TerminalProtocol } from "../../../engine/routing/terminal-protocol.ts";
import type { TableProtocol } from "../../../engine/tables/replicated-table.ts";
import type { ZvtNodeView } from "../../../engine/zvt/administer-zvt.ts";
import type { LoginAttempt, LoginVerdict } from "../../../http/auth/login-counts.ts";
import type { DrainOptions } from "../../../http/server/server.ts";
import type { DocsFiles } from "../../../http/web/docs-files.ts";
import type { ActivityBatch } from "../../../storage/activity/activity-batches.ts";
import type { ClusterProtocol } from "../../../storage/bus/cluster/cluster-bus.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import type { KvProtocol } from "../../../storage/kv/remote.ts";
import type { ThreadMetrics } from "../observability/metrics.ts";
import type { Reload } from "./reload.ts";
import type { WebFiles } from "./shard-boot.ts";

/** The counts of one shard. */
export interface ShardCounts {
  websocket: number;
  polling: number;
  queued: number;
  sent: number;
}

/** The counts of one shard. */
export type ShardReport = Omit<NodeReport, "lapses" | "stream">;

/** Requests between the main thread and the shards of a node, in addition to those of the engine and the store. */
export type NodeProtocol = TerminalProtocol &
  TableProtocol &
  KvProtocol &
  ClusterProtocol & {
    /** Opens the store; requested only from the shard that holds it. */
    "shard.open": { request: undefined; response: { type: "opened" } | { type: "refused"; reason: string } };
    /** Composes the shard and loads settings. */
    "shard.start": { request: { administratorPasswordSha256: string; webFiles: WebFiles }; response: undefined };
    /** Re-arms the deadlines of the terminals whose home the shard is; nothing is served before. */
    "shard.rearm": { request: undefined; response: undefined };
    "shard.listen": {
      request: { port: number; exclusive: boolean };
      response: { type: "listening"; port: number } | { type: "refused"; reason: string };
    };
    /** Takes over a configuration that was read again; refused where some of it could not be, which stays as it was. */
    "shard.reload": { request: Reload; response: { type: "reloaded" } | { type: "refused"; reason: string } };
    "shard.metrics": { request: undefined; response: ThreadMetrics };
    /** The counts of this shard, after its counts of today are stored. */
    "overview.counts": { request: undefined; response: ShardCounts };
    /** Finishes requests and closes sockets; responds with the number of unfinished requests. */
    "shard.drain": { request: DrainOptions; response: number };
    /** Stores remaining data and ends the thread. */
    "shard.close": { request: undefined; response: undefined };
    /**
     * The shards of all live nodes, by their addresses in the cluster, and those of draining nodes, which respond but are no terminal's
     * home.
     */
    "cluster.view": { request: { shards: string[]; draining: string[] }; response: undefined };
    /** The report of this node; shards respond to those of other nodes, and the main thread responds to its shards. */
    "cluster.report": { request: undefined; response: NodeReport };
    /** Has this node stop as SIGTERM does; answered when it has begun. Shards respond to those of other nodes, and the main thread to its shards. */
    "cluster.drain": { request: { allowLast: boolean }; response: undefined };
    "node.drain": { request: { allowLast: boolean }; response: undefined };
    "node.report": { request: undefined; response: NodeReport };
    "shard.report": { request: undefined; response: ShardReport };
    /** All nodes known to the main thread. */
    "node.list": { request: undefined; response: Omit<ClusterNode, "report">[] };
    /** Other nodes may have taken over: sessions, actors and presence of this shard are no longer valid. */
    "cluster.lapsed": { request: undefined; response: undefined };
    /** The shards of all nodes that are live at this moment. Handled by the main thread. */
    "cluster.look": { request: undefined; response: string[] };
    /** What is served of the documentation, in memory that threads share. Handled by the main thread, which makes it once where no build has it. */
    "node.docs": { request: undefined; response: DocsFiles };
    /** Handled by the main thread. */
    "node.transactions": { request: TransactionQuery; response: Transaction[] };
    /** Handled by the main thread: what ClickHouse has under a uuid. */
    "node.search": { request: FedWanted; response: FedHit[] };
    /** Handled by the main thread: the transactions of a merchant (infra/node/wiring/merchants/merchant-transactions.ts). */
    "node.merchantPage": {
      request: { merchantId: string; filter: MerchantTransactionFilter; after: TransactionKey | null; limit: number };
      response: MerchantTransactionPage;
    };
    "node.merchantFind": { request: { merchantId: string; uuid: string }; response: MerchantTransaction | null };
    "node.merchantSums": { request: { merchantId: string; fromMs: number; untilMs: number }; response: MerchantDay };
    "node.merchantLatest": { request: { merchantId: string }; response: MerchantTransaction[] };
    /** A report of a merchant, as the JSON text of what its name stands for (storage/reports/merchant-reports.ts). */
    "node.merchantReport": {
      request: { name: ReportName; owner: MerchantScope; query: ReportKinds[ReportName]["query"] };
      response: string;
    };
    /** Begins a file of rows under a name that is used once. They come as lines, a batch at a time; null is the end. */
    "node.merchantOpen": {
      request: { id: string; merchantId: string; filter: MerchantTransactionFilter };
      response: readonly string[] | null;
    };
    "node.merchantNext": { request: { id: string }; response: readonly string[] | null };
    "node.merchantClose": { request: { id: string }; response: undefined };
    /** Handled by the main thread: what the days of merchants are closed by (engine/reconciliation/reconciliation-rows.ts). */
    "node.dayRowsThere": { request: { untilMs: number }; response: Awaited<ReturnType<ReconciliationRows["areThere"]>> };
    "node.dayMerchants": {
      request: { fromMs: number; untilMs: number; after: string | null; limit: number };
      response: readonly string[];
    };
    "node.dayRefundedSince": { request: { merchantId: string; fromMs: number }; response: readonly number[] };
    "node.dayFigures": {
      request: { merchantId: string; days: readonly DayBounds[] };
      response: readonly (readonly [day: string, figures: DayFigures])[];
    };
    /** Handled by the main thread: entries of the activity log, to be written when ClickHouse can take them. */
    "node.activity": { request: ActivityBatch; response: undefined };
    "node.merchantWorkflowLog": { request: { merchantId: string } & LogQuery; response: LogPage<WorkflowEntry> };
    "node.merchantCallLog": { request: { merchantId: string } & LogQuery; response: LogPage<CallEntry> };
    "node.overview": { request: undefined; response: Pick<Overview, "outbox" | "nodes"> };
    "node.metrics": { request: undefined; response: string };
    /** Wrong passwords of a node are counted by one of its shards (infra/node/wiring/access/logins.ts). */
    "shard.countLogin": { request: LoginAttempt; response: LoginVerdict };
    "shard.takeLoginBack": { request: LoginAttempt; response: undefined };
    /** Calls of a minute of a node are counted by the same one (infra/node/wiring/merchants/merchant-calls.ts). Answers as `MinuteCounts.take`. */
    "shard.countCall": { request: { of: "merchants" | "pages"; key: string; max: number }; response: number };
    /** Handled by the first shard of each node: its ZVT listener, and the registers that are connected. */
    "zvt.node": { request: undefined; response: ZvtNodeView };
    /** A connection of a shard has found that Redis lost acknowledged commits, or heard of it. Handled by the main thread, which reports it. */
    "node.commitsLost": { request: HistoryLost; response: undefined };
    /** A row was written: wakes the feed. */
    "node.fed": { request: undefined; response: undefined };
  };
