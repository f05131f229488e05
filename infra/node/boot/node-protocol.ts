import type { ClusterNode, NodeReport } from "../../../engine/operators/cluster-nodes.ts";
import type { Overview } from "../../../engine/operators/overview.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type { TransactionQuery } from "../../../engine/payments/transaction-list.ts";
import type { TerminalProtocol } from "../../../engine/routing/terminal-protocol.ts";
import type { SpreadProtocol } from "../../../engine/tables/table-sync.ts";
import type { DrainOptions } from "../../../http/server/server.ts";
import type { ClusterProtocol } from "../../../storage/bus/cluster/cluster-bus.ts";
import type { KvProtocol } from "../../../storage/kv/remote.ts";
import type { ThreadMetrics } from "../observability/metrics.ts";

/** What one shard counts. */
export interface ShardCounts {
  websocket: number;
  polling: number;
  queued: number;
  sent: number;
}

/** What one shard counts. */
export type ShardReport = Omit<NodeReport, "lapses" | "stream">;

/** What the main thread and the shards of a node ask each other, beside what the engine and the store do. */
export type NodeProtocol = TerminalProtocol &
  SpreadProtocol &
  KvProtocol &
  ClusterProtocol & {
    /** Opens the store; only asked of the shard that holds it. */
    "shard.open": { question: undefined; answer: { type: "opened" } | { type: "refused"; reason: string } };
    /** Composes the shard and loads settings. */
    "shard.start": { question: { administratorPasswordSha256: string }; answer: undefined };
    /** Re-arms the deadlines of the terminals whose home the shard is; nothing is served before. */
    "shard.rearm": { question: undefined; answer: undefined };
    "shard.listen": {
      question: { port: number; exclusive: boolean };
      answer: { type: "listening"; port: number } | { type: "refused"; reason: string };
    };
    "shard.metrics": { question: undefined; answer: ThreadMetrics };
    /** What this shard counts, once what it counted today is stored. */
    "overview.counts": { question: undefined; answer: ShardCounts };
    /** Finishes what is under way and closes sockets; answers with the requests that were not finished. */
    "shard.drain": { question: DrainOptions; answer: number };
    /** Stores what is left and ends the thread. */
    "shard.close": { question: undefined; answer: undefined };
    /** The shards of all live nodes, by their addresses in the cluster, and those of nodes that drain: they answer, and are home to nobody. */
    "cluster.view": { question: { shards: string[]; draining: string[] }; answer: undefined };
    /** What this node tells of itself; served by shards to those of other nodes, and to them by the main thread. */
    "cluster.report": { question: undefined; answer: NodeReport };
    "node.report": { question: undefined; answer: NodeReport };
    "shard.report": { question: undefined; answer: ShardReport };
    /** All nodes, as the main thread knows them. */
    "node.list": { question: undefined; answer: Omit<ClusterNode, "report">[] };
    /** Others may have taken over: sessions, actors and presence of this shard are void. */
    "cluster.lapsed": { question: undefined; answer: undefined };
    /** The shards of all nodes that are live at this moment. Served by the main thread. */
    "cluster.look": { question: undefined; answer: string[] };
    /** Served by the main thread. */
    "node.transactions": { question: TransactionQuery; answer: Transaction[] };
    "node.overview": { question: undefined; answer: Pick<Overview, "outbox" | "nodes"> };
    "node.metrics": { question: undefined; answer: string };
    /** A row was written: the feed need not wait for its next look. */
    "node.fed": { question: undefined; answer: undefined };
  };
