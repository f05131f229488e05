import type { Bus } from "../../../engine/kernel/bus.ts";
import type { Living } from "../boot/lifecycle.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";
import { MAIN } from "../boot/shard-boot.ts";

/** Tells the main thread that rows were written, once a tick however many they were: its feed need not wait for its next look. */
export interface FeedNudge extends Living {
  /** A row was written to the outbox. */
  fed(): void;
}

export function createFeedNudge(bus: Bus<NodeProtocol>): FeedNudge {
  let fed = false;
  return {
    fed: () => {
      fed = true;
    },
    tick: () => {
      if (fed) bus.send(MAIN, "node.fed", undefined);
      fed = false;
    },
  };
}
