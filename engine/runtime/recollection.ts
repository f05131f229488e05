import type { Address, Bus } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { Homes } from "../ports/homes.ts";
import type { TerminalProtocol } from "./protocol.ts";

/** A shard that did not confirm is asked again after this long. */
const AGAIN_MS = 2_000;
const ASK_TIMEOUT_MS = 1_500;

/** Shards that are seen as members for the first time so long after a lapse may have told of sessions before this one forgot them. */
const NEWCOMERS_MS = 15_000;

export interface RecollectionOptions {
  bus: Bus<TerminalProtocol>;
  homes: Homes;
  clock: Clock;
  failed(what: string, error: unknown): void;
}

/**
 * After a home has forgotten everything it asks all other shards to tell of their sessions again, each until it has confirmed. A shard
 * believes what it told a home to be known there, so that nobody else would notice, and the terminal would wait in vain.
 */
export interface Recollection {
  /** Everything is forgotten as of now. */
  begin(): void;
  tick(): void;
}

interface Round {
  untilMs: number;
  heard: Set<Address>;
  notBeforeMs: Map<Address, number>;
}

export function createRecollection({ bus, homes, clock, failed }: RecollectionOptions): Recollection {
  let round: Round | null = null;

  function ask(current: Round): void {
    const nowMs = clock.monotonicMs();
    let silent = 0;
    for (const address of homes.shards()) {
      if (address === bus.self || current.heard.has(address)) continue;
      silent += 1;
      if ((current.notBeforeMs.get(address) ?? 0) > nowMs) continue;
      current.notBeforeMs.set(address, nowMs + AGAIN_MS);
      bus.ask(address, "session.again", undefined, ASK_TIMEOUT_MS).then(
        () => current.heard.add(address),
        (error: unknown) => failed("session.again", error),
      );
    }
    if (silent === 0 && nowMs >= current.untilMs) round = null;
  }

  return {
    begin: () => {
      round = { untilMs: clock.monotonicMs() + NEWCOMERS_MS, heard: new Set(), notBeforeMs: new Map() };
      ask(round);
    },
    tick: () => {
      if (round !== null) ask(round);
    },
  };
}
