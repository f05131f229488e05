import { LIFETIME_MS, type NodeFacts } from "../../../storage/bus/cluster/membership.ts";

/** After a node died, its earlier run is still a member for one lifetime; a member that stays longer is another node. */
const SURE_AFTER_MS = LIFETIME_MS + 2_000;

export interface DuplicateNodeIdOptions {
  self: Pick<NodeFacts, "nodeId" | "incarnation">;
  monotonicMs(): number;
  /** Called once for each other live node with this one's RELAY_NODE_ID. */
  found(incarnation: string): void;
}

/** Returns a function to be called with the live nodes, each time that they were read. */
export function watchDuplicateNodeIds({ self, monotonicMs, found }: DuplicateNodeIdOptions): (nodes: readonly NodeFacts[]) => void {
  /** Since when each has been seen, by incarnation; null once it was reported. */
  let seen = new Map<string, number | null>();
  return (nodes) => {
    const now = monotonicMs();
    const next: typeof seen = new Map();
    for (const { nodeId, incarnation, draining } of nodes) {
      if (nodeId !== self.nodeId || incarnation === self.incarnation || draining === true) continue;
      const since = seen.get(incarnation);
      const isSure = typeof since === "number" && now - since >= SURE_AFTER_MS;
      if (isSure) found(incarnation);
      next.set(incarnation, since === null || isSure ? null : (since ?? now));
    }
    seen = next;
  };
}
