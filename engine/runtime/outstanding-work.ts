import type { Address, Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { Homes } from "../ports/homes.ts";
import type { Outstanding, TerminalStore } from "../ports/terminal-store.ts";
import type { TerminalProtocol } from "./protocol.ts";
import type { TerminalHome } from "./terminal-home.ts";
import type { WaitingElsewhere } from "./waiting-counters.ts";

/** A hint that was lost is made good within this time. */
const SWEEP_MS = 500;

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
  store: TerminalStore;
  homes: Homes;
  bus: Bus<TerminalProtocol>;
  home: TerminalHome;
  elsewhere: WaitingElsewhere;
  clock: Clock;
  /** True for the shards of this node. */
  isOwnNode(address: Address): boolean;
  failed(what: string, error: unknown): void;
}

export function createOutstandingWork(options: OutstandingWorkOptions): OutstandingWork {
  const { store, homes, bus, home, elsewhere, clock, isOwnNode, failed } = options;
  let sweptAt = clock.monotonicMs();
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

  async function sweep(): Promise<void> {
    const waiting: string[] = [];
    for await (const outstanding of all()) {
      const address = homes.homeOf(outstanding.terminalId);
      if (address === bus.self) home.lookAt(outstanding);
      else if (outstanding.waits && !isOwnNode(address)) waiting.push(outstanding.terminalId);
    }
    elsewhere.replace(waiting);
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
      if (sweeping || clock.monotonicMs() - sweptAt < SWEEP_MS || homes.shards().every(isOwnNode)) return;
      sweptAt = clock.monotonicMs();
      sweeping = true;
      sweep()
        .catch((error: unknown) => failed("sweep", error))
        .finally(() => {
          sweeping = false;
        });
    },
  };
}
