import type { Address, Bus, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import type { TerminalProtocol } from "./terminal-protocol.ts";

/** A shard that did not confirm is asked again after this long. */
const AGAIN_MS = 2_000;
const REQUEST_TIMEOUT_MS = 1_500;

/** A shard that has not seen the same change yet is asked again sooner. */
const NOT_YET_MS = 250;

/** Shards that are seen as members for the first time so long after an expiry may have told of sessions before this one forgot them. */
const NEWCOMERS_MS = 15_000;

export interface SessionResyncOptions {
  bus: Bus<TerminalProtocol>;
  homes: Homes;
  clock: Clock;
  /** After a change of homes a node may not see all others yet, who may not see it: for so long nothing is known for certain. 0 for a node by itself. */
  settleMs: number;
  /** All shards have told of their sessions: one that is not known here by now is gone. */
  told(): void;
  failed(what: string, error: unknown): void;
}

/**
 * Learns of the sessions of all other shards, each until it has confirmed: after a home has forgotten everything, since a shard believes what it told a home
 * to be known there; and when homes have changed, since a session that is not known yet must not pass for one that is gone.
 */
export interface SessionResync {
  /** Everything is forgotten as of now. */
  forgotten(): void;
  /** This is the home of other terminals as of now. */
  changed(): void;
  /** Whether every shard there is has told of its sessions since. */
  complete(): boolean;
  tick(): void;
}

interface Round {
  /** Tells rounds apart: a shard tells of everything again once a round. */
  number: number;
  forgotten: boolean;
  untilMs: number;
  heard: Set<Address>;
  notBeforeMs: Map<Address, number>;
}

export function createSessionResync({ bus, homes, clock, settleMs, told, failed }: SessionResyncOptions): SessionResync {
  let round: Round | null = null;
  let rounds = 0;

  function silent({ heard }: Round): readonly Address[] {
    return homes.shards().filter((address) => address !== bus.self && !heard.has(address));
  }

  function begin(forgotten: boolean): void {
    rounds += 1;
    const nowMs = clock.monotonicMs();
    // What was forgotten stays so until all have told of it, whatever changes meanwhile.
    const untilMs = Math.max(nowMs + (forgotten ? NEWCOMERS_MS : settleMs), round?.untilMs ?? nowMs);
    const stillForgotten = forgotten || round?.forgotten === true;
    round = { number: rounds, forgotten: stillForgotten, untilMs, heard: new Set(), notBeforeMs: new Map() };
    requestAll(round);
  }

  function requestAll(current: Round): void {
    const nowMs = clock.monotonicMs();
    const shards = homes.shards();
    for (const address of silent(current)) {
      if ((current.notBeforeMs.get(address) ?? 0) > nowMs) continue;
      current.notBeforeMs.set(address, nowMs + AGAIN_MS);
      const { number, forgotten } = current;
      bus.request(address, "session.again", { round: number, forgotten, shards }, REQUEST_TIMEOUT_MS).then(
        (toldAll) => {
          if (toldAll) current.heard.add(address);
          else current.notBeforeMs.set(address, clock.monotonicMs() + NOT_YET_MS);
          settle(current);
        },
        (error: unknown) => failed("session.again", error),
      );
    }
    settle(current);
  }

  function isComplete(current: Round): boolean {
    return silent(current).length === 0 && clock.monotonicMs() >= current.untilMs;
  }

  function settle(current: Round): void {
    if (current !== round || !isComplete(current)) return;
    round = null;
    told();
  }

  return {
    forgotten: () => begin(true),
    changed: () => begin(false),
    complete: () => round === null || isComplete(round),
    tick: () => {
      if (round !== null) requestAll(round);
    },
  };
}
