import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { ConnectedStore, ShardBoot } from "../../boot/shard-boot.ts";
import { holdsLease } from "../../cluster/lease.ts";

export interface Readiness extends Lifecycle {
  /** Returns the reason why this node rejects requests, or null. */
  notReadyBecause(): string | null;
}

export interface ReadinessParts {
  boot: Pick<ShardBoot, "cluster" | "storeAway" | "incomplete">;
  isAway: ConnectedStore["isAway"];
  /** The clock of this machine. */
  monotonicMs(): number;
}

/**
 * Determines whether this node accepts requests. All its shards know the state of the shard with
 * the store.
 */
export function createReadiness({ boot, isAway, monotonicMs }: ReadinessParts): Readiness {
  const { cluster } = boot;
  const [away, incomplete] = [new Int32Array(boot.storeAway), new Int32Array(boot.incomplete)];
  let draining = false;
  return {
    notReadyBecause: () => {
      if (draining) return "draining";
      if (cluster !== null && !holdsLease(cluster.lease, monotonicMs)) return "cut off from the other nodes";
      if (Atomics.load(away, 0) === 1) return "the store is not available";
      return Atomics.load(incomplete, 0) === 1 ? "starting" : null;
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
