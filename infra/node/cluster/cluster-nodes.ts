import type { Address, Bus } from "../../../engine/kernel/bus.ts";
import type { ClusterNode, ClusterNodes, NodeReport } from "../../../engine/operators/cluster-nodes.ts";
import { clusterAddress, incarnationOf } from "../../../storage/bus/cluster/cluster-bus.ts";
import type { NodeProtocol, ShardReport } from "../boot/node-protocol.ts";

/** A node that does not answer within this time is listed without its report. */
const REPORT_MS = 1_500;

const NOTHING: ShardReport = { terminals: 0, sessions: 0, commandsQueued: 0, commandsSent: 0, conflicts: 0 };

/** Longer than a node takes to begin to drain, which it tells Redis first. */
const DRAIN_MS = 5_000;

/** The sum of the counts of a node's shards. */
export function sumOf(shards: readonly ShardReport[]): ShardReport {
  return shards.reduce(
    (sum, shard) => ({
      terminals: sum.terminals + shard.terminals,
      sessions: sum.sessions + shard.sessions,
      commandsQueued: sum.commandsQueued + shard.commandsQueued,
      commandsSent: sum.commandsSent + shard.commandsSent,
      conflicts: sum.conflicts + shard.conflicts,
    }),
    NOTHING,
  );
}

/** All nodes with their reports, requested by a shard of any node. */
export function createClusterNodes(bus: Bus<NodeProtocol>, main: Address): ClusterNodes {
  const isOwn = (incarnation: string) => incarnationOf(bus.self) === null || incarnationOf(bus.self) === incarnation;
  const running = () => bus.request(main, "node.list", undefined, REPORT_MS);

  async function report({ incarnation, state }: Omit<ClusterNode, "report">): Promise<NodeReport | null> {
    if (state === "gone") return null;
    try {
      return isOwn(incarnation)
        ? await bus.request(main, "node.report", undefined, REPORT_MS)
        : await bus.request(clusterAddress(incarnation, "shard-0"), "cluster.report", undefined, REPORT_MS);
    } catch {
      return null;
    }
  }

  bus.handle("cluster.report", () => bus.request(main, "node.report", undefined, REPORT_MS));
  bus.handle("cluster.drain", (options) => bus.request(main, "node.drain", options, DRAIN_MS));

  return {
    running,
    drain: async (incarnation, { allowLast }) => {
      if (isOwn(incarnation)) await bus.request(main, "node.drain", { allowLast }, DRAIN_MS);
      else await bus.request(clusterAddress(incarnation, "shard-0"), "cluster.drain", { allowLast }, DRAIN_MS);
    },
    list: async () => {
      const nodes = await running();
      return Promise.all(nodes.map(async (node) => ({ ...node, report: await report(node) })));
    },
  };
}
