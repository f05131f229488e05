import type { ResultCounts } from "./result-count-store.ts";

/** What is set aside is a handful, or a fault that is the same for all: more are not counted. */
export const SET_ASIDE_COUNTED_MAX = 1_000;
/** Rows that ClickHouse does not hold yet, wherever they wait for it; of all nodes. */
export interface OutboxBacklog {
  depth: number;
  /** True: there are more than `depth`, and they were not counted. */
  capped: boolean;
  /** Age of the oldest; 0 where there is none. */
  oldestAgeMs: number;
}

/** What an operator sees at a glance, of all nodes together: counted where things happen, never by looking at all of them. */
export interface Overview {
  atMs: number;
  /** The local day that is counted. */
  day: string;
  /** `known` is how many were ever seen; looked up once a minute. */
  terminals: { websocket: number; polling: number; known: number };
  commands: { queued: number; sent: number };
  /** Commands that came to their end today, by how. */
  commandsToday: { [state: string]: number };
  resultsToday: ResultCounts;
  links: { pending: number; today: { [state: string]: number } };
  deployments: { [state: string]: number };
  /** Rows that were refused and are set aside, at most `SET_ASIDE_COUNTED_MAX`. */
  setAside: number;
  /** Null where it cannot be learned just now. */
  outbox: OutboxBacklog | null;
  nodes: readonly { nodeId: string; shards: number; startedAtMs: number }[];
}
