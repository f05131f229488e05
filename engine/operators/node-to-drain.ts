import type { ClusterNode } from "./cluster-nodes.ts";

/** Why it is refused. */
export const LAST_LIVE_NODE = "This is the only live node: without it nothing would respond. Send `allowLast` to drain it anyway";

export type NodeToDrain =
  | { type: "found"; node: Omit<ClusterNode, "report"> }
  /** No live or draining node has this name. */
  | { type: "unknown" }
  /** Several nodes have this id: only their incarnations tell them apart. */
  | { type: "ambiguous"; incarnations: string[] }
  /** Nothing would serve requests, and that was not asked for. */
  | { type: "last" };

/** The node that is meant by its id or its incarnation. `allowLast`: also where no other node is live. */
export function nodeToDrain(nodes: readonly Omit<ClusterNode, "report">[], name: string, allowLast: boolean): NodeToDrain {
  const running = nodes.filter(({ state }) => state !== "gone");
  const named = running.filter(({ nodeId, incarnation }) => nodeId === name || incarnation === name);
  const [node, ...others] = named;
  if (node === undefined) return { type: "unknown" };
  if (others.length > 0) return { type: "ambiguous", incarnations: named.map(({ incarnation }) => incarnation) };
  const isLast = !running.some((other) => other.state === "live" && other.incarnation !== node.incarnation);
  // One that drains already is not stopped by being asked again.
  return isLast && !allowLast && node.state === "live" ? { type: "last" } : { type: "found", node };
}
