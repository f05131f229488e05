import type { Bus, Homes } from "../../../../engine/kernel/bus.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Timers } from "../../../../engine/kernel/timers.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import type { ConnectedStore, ShardBoot, WebFiles } from "../../boot/shard-boot.ts";
import type { Log } from "../../observability/log.ts";
import type { OtherNodes } from "./rate-limits.ts";

export interface RunningShardParts {
  boot: ShardBoot;
  clock: Clock;
  /** The clock of this machine, which tests do not move. */
  machineClock: Clock;
  timers: Timers;
  log: Log;
  bus: Bus<NodeProtocol>;
  homes: Homes;
  /** Null for a single node. */
  others: OtherNodes | null;
  store: ConnectedStore;
  administratorPasswordSha256: string;
  webFiles: WebFiles;
}
