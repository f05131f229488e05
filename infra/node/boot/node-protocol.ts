import type { ClusterNode, NodeReport } from "../../../engine/operators/cluster-nodes.ts";
import type { Overview } from "../../../engine/operators/overview.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";
import type { TransactionQuery } from "../../../engine/payments/transaction-list.ts";
import type { TerminalProtocol } from "../../../engine/routing/terminal-protocol.ts";
import type { TableProtocol } from "../../../engine/tables/replicated-table.ts";
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

/** What the main thread and the shards of a node request of each other, beside what the engine and the store do. */
export type NodeProtocol = TerminalProtocol &
  TableProtocol &
  KvProtocol &
  ClusterProtocol & {
    /** Opens the store; only requested of the shard that holds it. */
    "shard.open": { request: undefined; response: { type: "opened" } | { type: "refused"; reason: string } };
    /** Composes the shard and loads settings. */
    "shard.start": { request: { administratorPasswordSha256: string }; response: undefined };
    /** Re-arms the deadlines of the terminals whose home the shard is; nothing is served before. */
    "shard.rearm": { request: undefined; response: undefined };
    "shard.listen": {
      request: { port: number; exclusive: boolean };
      response: { type: "listening"; port: number } | { type: "refused"; reason: string };
    };
    "shard.metrics": { request: undefined; response: ThreadMetrics };
    /** What this shard counts, once what it counted today is stored. */
    "overview.counts": { request: undefined; response: ShardCounts };
    /** Finishes what is under way and closes sockets; answers with the requests that were not finished. */
    "shard.drain": { request: DrainOptions; response: number };
    /** Stores what is left and ends the thread. */
    "shard.close": { request: undefined; response: undefined };
    /** The shards of all live nodes, by their addresses in the cluster, and those of nodes that drain: they answer, and are home to nobody. */
    "cluster.view": { request: { shards: string[]; draining: string[] }; response: undefined };
    /** What this node tells of itself; shards answer those of other nodes, and the main thread answers its shards. */
    "cluster.report": { request: undefined; response: NodeReport };
    "node.report": { request: undefined; response: NodeReport };
    "shard.report": { request: undefined; response: ShardReport };
    /** All nodes, as the main thread knows them. */
    "node.list": { request: undefined; response: Omit<ClusterNode, "report">[] };
    /** Others may have taken over: sessions, actors and presence of this shard are void. */
    "cluster.lapsed": { request: undefined; response: undefined };
    /** The shards of all nodes that are live at this moment. Served by the main thread. */
    "cluster.look": { request: undefined; response: string[] };
    /** Served by the main thread. */
    "node.transactions": { request: TransactionQuery; response: Transaction[] };
    "node.overview": { request: undefined; response: Pick<Overview, "outbox" | "nodes"> };
    "node.metrics": { request: undefined; response: string };
    /** A row was written: the feed need not wait for its next look. */
    "node.fed": { request: undefined; response: undefined };
  };
