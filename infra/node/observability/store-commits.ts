import { DurationHistogram } from "./duration-histogram.ts";

/** Upper bounds in seconds: from a Redis beside the node to the time after which callers are told 503. */
const COMMIT_BOUNDS_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

export type StoreKind = "leveldb" | "redis";

export type StoreCommits = DurationHistogram<StoreKind>;

/** How long batches of commits took to be on disk. Each thread with a connection or files of its own counts its own. */
export function createStoreCommits(store: StoreKind): StoreCommits {
  return new DurationHistogram({
    name: "relay_store_commit_duration_seconds",
    help: "Time to write a batch of commits to disk: LevelDB's synced write, or the round trip to Redis with its sync.",
    boundsSeconds: COMMIT_BOUNDS_SECONDS,
    label: "store",
    words: [store],
  });
}
