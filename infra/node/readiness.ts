import { holdsLease } from "./lease.ts";
import type { ShardBoot } from "./shard-boot.ts";
import type { Living } from "./shard-life.ts";
import type { ConnectedStore } from "./shard-store.ts";

export interface Readiness extends Living {
  /** What keeps this node from taking requests, or null. */
  notReadyBecause(): string | null;
}

export interface ReadinessParts {
  boot: Pick<ShardBoot, "cluster" | "storeAway">;
  isAway: ConnectedStore["isAway"];
  /** This machine's. */
  monotonicMs(): number;
}

/** Whether requests may be sent to this node; all its shards know what the one that holds the store sees. */
export function createReadiness({ boot: { cluster, storeAway }, isAway, monotonicMs }: ReadinessParts): Readiness {
  const away = new Int32Array(storeAway);
  let draining = false;
  return {
    notReadyBecause: () => {
      if (draining) return "draining";
      if (cluster !== null && !holdsLease(cluster.lease, monotonicMs)) return "cut off from the other nodes";
      return Atomics.load(away, 0) === 1 ? "the store is not available" : null;
    },
    tick: () => {
      const seen = isAway();
      if (seen !== null) Atomics.store(away, 0, seen ? 1 : 0);
    },
    drain: () => {
      draining = true;
    },
  };
}
