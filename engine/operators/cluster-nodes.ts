/** A node of this installation as operators see it; a node by itself is the only one. */
export interface ClusterNode {
  /** RELAY_NODE_ID. */
  nodeId: string;
  /** One life of the node. */
  incarnation: string;
  version: string;
  shards: number;
  sinceMs: number;
  /** `live`: home to terminals. `draining`: on its way out, home to none. `gone`: left, or its membership expired, a while ago. */
  state: "live" | "draining" | "gone";
  /** Null for one that is gone, or did not answer in time. */
  report: NodeReport | null;
}

/** What a node tells of itself; counts are of now, the others since its start. */
export interface NodeReport {
  /** Terminals of which it holds the actor: those whose home it is and that were in use lately. */
  terminals: number;
  sessions: number;
  commandsQueued: number;
  commandsSent: number;
  /** Steps that lost against another writer of the same record, and were made again. */
  conflicts: number;
  /** Its membership had expired so often. */
  lapses: number;
  /** Messages of other nodes; null for a node by itself. */
  stream: StreamReport | null;
}

export interface StreamReport {
  /** Entries that wait to be read. */
  waiting: number;
  /** How old the last entry was when it was read. */
  delayMs: number;
  /** Entries that were trimmed before they could be read. */
  lost: number;
}

export interface ClusterNodes {
  list(): Promise<ClusterNode[]>;
  /** The same without their reports: no other node is asked. */
  running(): Promise<Omit<ClusterNode, "report">[]>;
  /**
   * Has a live node stop as SIGTERM does; resolves when it has begun. Rejects with `conflict` if no other node is live that stays, unless `allowLast`; with
   * `unavailable` if it does not answer, or is of a version that cannot.
   */
  drain(incarnation: string, options: { allowLast: boolean }): Promise<void>;
}
