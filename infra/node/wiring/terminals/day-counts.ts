import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import { createResultCountStore, type ResultCounts } from "../../../../engine/operators/result-count-store.ts";
import { createResultCounter } from "../../../../engine/operators/result-counter.ts";
import { createLocalTime } from "../../../../http/surfaces/parts/time.ts";
import type { Config } from "../../boot/config.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";

/** The keys in the counts of a day. Methods are upper-case keys in the same record. */
const COMMANDS = "commands";
const LINKS = "links";

export interface DayCountParts {
  config: Config;
  kv: Kv;
  /** The address of the shard. */
  self: string;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/**
 * Counts today's ended commands and links for the dashboard. Each shard counts its own events, and
 * stores the counts every few seconds.
 */
export interface DayCounts extends Lifecycle {
  recorded(method: string, status: string, atMs: number): void;
  commandFinished(state: string): void;
  linkEnded(state: string): void;
  flush(): Promise<void>;
  /** Returns the local day of a time, `YYYY-MM-DD`. */
  dayOf(atMs: number): string;
  /** Returns the stored counts of all shards for a day. */
  total(day: string): Promise<{ commands: { [state: string]: number }; links: { [state: string]: number }; results: ResultCounts }>;
}

export function createDayCounts({ config, kv, self, clock, failed }: DayCountParts): DayCounts {
  const { dayOf } = createLocalTime(config.timeZone);
  const store = createResultCountStore(kv, clock.nowMs);
  const counter = createResultCounter({ store, clock, dayOf, counter: `${config.nodeId}/${self.replace(/^.*\//, "")}`, failed });
  return {
    recorded: counter.count,
    commandFinished: (state) => counter.count(COMMANDS, state, clock.nowMs()),
    linkEnded: (state) => counter.count(LINKS, state, clock.nowMs()),
    flush: counter.flush,
    dayOf,
    total: async (day) => {
      const { [COMMANDS]: commands = {}, [LINKS]: links = {}, ...results } = await store.total(day);
      return { commands, links, results };
    },
    tick: counter.tick,
    close: () => counter.flush().catch((error: unknown) => failed("result counts", error)),
  };
}
