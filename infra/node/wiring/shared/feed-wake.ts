import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";

/** Wakes the feed in the main thread when rows were written, at most once per tick. */
export interface FeedWake extends Lifecycle {
  /** Called after a row was written to the outbox. */
  onOutboxWrite(): void;
}

export function createFeedWake(bus: Bus<NodeProtocol>): FeedWake {
  let hasRows = false;
  return {
    onOutboxWrite: () => {
      hasRows = true;
    },
    tick: () => {
      if (hasRows) bus.send(MAIN, "node.fed", undefined);
      hasRows = false;
    },
  };
}
