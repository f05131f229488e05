import type { Address, Bus, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import type { TerminalHome } from "../terminals/terminal-home.ts";
import type { Outstanding, TerminalStore } from "../terminals/terminal-store.ts";
import type { WaitingElsewhere } from "../terminals/waiting-counters.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/**
 * A hint that was lost is made good within half a second, or within a second where thousands of terminals are outstanding: every shard of the cluster
 * reads the whole index.
 */
const SWEEP_MS_MIN = 500;
const SWEEP_MS_MAX = 900;
const ENTRIES_A_SECOND = 2_000;

const PAGE = 1_000;

/** Terminals loaded at once when homes change or a node starts: thousands may be outstanding, and the store has others to serve. */
const REARMED_AT_ONCE = 64;

/** Reads the index of outstanding work: for deadlines at a start, and again and again for what nobody told of. */
export interface OutstandingWork {
  /** Re-arms the deadlines of all terminals whose home this is. */
  rearm(): Promise<void>;
  /** A look now and then, where there are other nodes: within one node nothing can be lost. */
  tick(): void;
}

export interface OutstandingWorkOptions {
  store: Pick<TerminalStore, "pageOutstanding">;
  homes: Homes;
  bus: Bus<TerminalProtocol>;
  home: Pick<TerminalHome, "lookAt" | "rearm">;
  elsewhere: WaitingElsewhere;
  clock: Clock;
  /** True for the shards of this node. */
  isOwnNode(address: Address): boolean;
  failed(what: string, error: unknown): void;
}

export function createOutstandingWork(options: OutstandingWorkOptions): OutstandingWork {
  const { store, homes, bus, home, elsewhere, clock, isOwnNode, failed } = options;
  let sweepAt = clock.monotonicMs() + SWEEP_MS_MIN;
  let sweeping = false;

  async function* all(): AsyncGenerator<Outstanding> {
    for (let after = ""; ; ) {
      const page = await store.pageOutstanding(after, PAGE);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < PAGE) return;
      after = last.terminalId;
    }
  }

  /** Answers how many there are. */
  async function sweep(): Promise<number> {
    const waiting: string[] = [];
    let count = 0;
    for await (const outstanding of all()) {
      count += 1;
      const address = homes.homeOf(outstanding.terminalId);
      if (address === bus.self) home.lookAt(outstanding);
      else if (outstanding.waits && !isOwnNode(address)) waiting.push(outstanding.terminalId);
    }
    elsewhere.replace(waiting);
    return count;
  }

  return {
    rearm: async () => {
      let underWay: Promise<void>[] = [];
      for await (const { terminalId } of all()) {
        if (homes.homeOf(terminalId) !== bus.self) continue;
        underWay.push(home.rearm(terminalId));
        if (underWay.length < REARMED_AT_ONCE) continue;
        await Promise.all(underWay);
        underWay = [];
      }
      await Promise.all(underWay);
    },
    tick: () => {
      if (sweeping || clock.monotonicMs() < sweepAt || homes.shards().every(isOwnNode)) return;
      sweepAt = clock.monotonicMs() + SWEEP_MS_MIN;
      sweeping = true;
      sweep()
        .then((count) => {
          const pauseMs = Math.min(SWEEP_MS_MAX, (count * 1_000) / ENTRIES_A_SECOND);
          sweepAt = Math.max(sweepAt, clock.monotonicMs() + pauseMs);
        })
        .catch((error: unknown) => failed("sweep", error))
        .finally(() => {
          sweeping = false;
        });
    },
  };
}
