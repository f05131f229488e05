import type { Address, Homes } from "../kernel/bus.ts";
import { hashOf } from "../kernel/hash.ts";

/** Homes by rendezvous hashing: when a shard goes, only its terminals move, and they spread over all others. */
export interface RendezvousHomes extends Homes {
  /** Replaces the shards. `weightName` of a shard stays the same over restarts of its node, so that terminals come back to it. */
  update(shards: readonly Address[]): void;
}

interface Candidate {
  address: Address;
  hash: number;
}

export function createRendezvousHomes(
  initial: readonly Address[],
  weightName: (address: Address) => string = (address) => address,
): RendezvousHomes {
  let shards = initial;
  let candidates = candidatesOf(initial);
  const listeners: (() => void)[] = [];

  function candidatesOf(addresses: readonly Address[]): Candidate[] {
    return addresses.map((address) => ({ address, hash: hashOf(weightName(address)) }));
  }

  return {
    homeOf: (terminalId) => {
      const first = candidates[0];
      if (first === undefined) throw new Error("there are no shards");
      if (candidates.length === 1) return first.address;
      const hash = hashOf(terminalId);
      let best = first;
      let bestWeight = -1;
      for (const candidate of candidates) {
        const weight = mixed(hash, candidate.hash);
        // Equal weights are decided by the address, the same on every node.
        if (weight > bestWeight || (weight === bestWeight && candidate.address < best.address)) {
          best = candidate;
          bestWeight = weight;
        }
      }
      return best.address;
    },
    shards: () => shards,
    onChange: (listener) => {
      listeners.push(listener);
    },
    update: (next) => {
      if (next.length === shards.length && next.every((address, index) => address === shards[index])) return;
      shards = next;
      candidates = candidatesOf(next);
      for (const listener of listeners) listener();
    },
  };
}

/** A hash of both, unsigned 32 bits. */
function mixed(a: number, b: number): number {
  let hash = Math.imul(a ^ Math.imul(b, 0x9e3779b1), 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  hash ^= hash >>> 16;
  return hash >>> 0;
}
