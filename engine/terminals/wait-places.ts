import { hashOf } from "../kernel/hash.ts";
import type { SharedCounts } from "../kernel/shared-counts.ts";
import type { WaitPlaces } from "./find-transaction.ts";

/** At most `max()` waiting look-ups of each caller, in all threads of the node together. */
export function createWaitPlaces(counts: SharedCounts, max: () => number): WaitPlaces {
  return {
    take: (sender) => counts.take(hashOf(sender), sender.length, max()),
    giveBack: (sender) => counts.giveBack(hashOf(sender), sender.length),
  };
}
