import type { Clock } from "../kernel/clock.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { Command } from "../payments/command.ts";
import type { FeedRow } from "../payments/feed-row.ts";
import type { Actor } from "./actor.ts";
import { type Actors, isSame, type StepChange } from "./actors.ts";
import type { Finished, NewEntry, TerminalContext, TerminalEffect, TerminalEvent } from "./events.ts";
import { rowsOf, withLife } from "./result-decision.ts";
import type { CommandLife, CommandRecord } from "./terminal-record.ts";
import type { TerminalStore } from "./terminal-store.ts";
import type { Waiters } from "./waiters.ts";

/** A step that stores nothing but what else it names. */
export const EMPTY_CHANGE = { claims: [], commands: [], rows: [], attention: [], settled: [] } as const;

const NO_RESULT = "Sent, and no result came";
const UNREADABLE_ANSWER = "Sent, and an answer came that could not be read: see what is unreadable of this terminal";

/** What all work on a home's actors has in common: storing the ends of commands, telling of them, and work that no caller waits for. */
export interface HomeSteps {
  /**
   * Steps events that need nothing stored but the endings they bring. `events` is asked again when another version has moved on. Where
   * the store comes to it later than `withinMs` it is not stored any more, and rejects as what could not be.
   */
  settle(
    actor: Actor,
    events: (context: TerminalContext) => readonly TerminalEvent[],
    withinMs?: number,
  ): Promise<readonly TerminalEffect[]>;
  /**
   * Lives, rows and attention items of the commands that a step ended; `except` is written by its caller. Of one that has a result or an end already
   * only its entry goes: what came to an end stays as it ended.
   */
  endings(actor: Actor, effects: readonly TerminalEffect[], except: string | null): Promise<Omit<StepChange, "atMs">>;
  /** Tells those who wait, and the metrics, of the commands that a stored step ended. */
  announce(actor: Actor, effects: readonly TerminalEffect[]): void;
  /** Work on an actor that no caller waits for. Where it fails the terminal is seen to again soon. */
  enqueueInternal(terminalId: string, what: string, work: (actor: Actor) => Promise<unknown>): void;
  /** What is done once a step is stored, within the same work; the caller's answer is true whether or not it succeeds. */
  afterCommit(actor: Actor, what: string, work: () => Promise<unknown>): Promise<void>;
}

export interface HomeStepsOptions {
  actors: Actors;
  store: Pick<TerminalStore, "unreadableAnswerAtMs">;
  waiters: Waiters;
  clock: Clock;
  retry(terminalId: string): void;
  failed(what: string, error: unknown): void;
  finished(state: Finished["state"], kind: Finished["kind"]): void;
}

export function createHomeSteps({ actors, store, waiters, clock, retry, failed, finished }: HomeStepsOptions): HomeSteps {
  /** Ends of a step that are none: nothing is told of them. */
  const endedBefore = new WeakSet<TerminalEffect>();

  async function endings(actor: Actor, effects: readonly TerminalEffect[], except: string | null): Promise<Omit<StepChange, "atMs">> {
    const commands: Stored<CommandRecord>[] = [];
    const rows: FeedRow[] = [];
    const attention: AttentionItem[] = [];
    for (const effect of effects) {
      if (effect.type !== "finished" || effect.params.uuid === except) continue;
      const { uuid, state, kind, atMs } = effect.params;
      const stored = await actors.command(actor, uuid);
      if (stored === null) {
        // It cannot be; but were it so, the terminal must still be able to go on.
        failed("ending", new Error(`command ${uuid} of ${actor.terminalId} is not stored`));
        continue;
      }
      if (stored.record.life !== null) {
        endedBefore.add(effect);
        continue;
      }
      const record = withLife(stored.record, lifeOf(effect.params));
      commands.push({ record, version: stored.version });
      for (const row of rowsOf(record)) rows.push(row);
      if (state === "unknown" && kind === "payment") {
        const detail = (await store.unreadableAnswerAtMs(uuid)) === null ? NO_RESULT : UNREADABLE_ANSWER;
        attention.push({ kind: "unknown", terminalId: actor.terminalId, uuid, atMs, detail, raw: null });
      }
    }
    return { ...EMPTY_CHANGE, commands, rows, attention };
  }

  function announce(actor: Actor, effects: readonly TerminalEffect[]): void {
    let ended = false;
    for (const effect of effects) {
      if (effect.type !== "finished" || endedBefore.has(effect)) continue;
      ended = true;
      finished(effect.params.state, effect.params.kind);
    }
    if (ended) waiters.wake(actor.terminalId);
  }

  return {
    settle: async (actor, events, withinMs) => {
      const applied = await actors.apply(actor, () => ({
        events: events(actor.context),
        complete({ context, effects }) {
          if (isSame(context, actor.context)) return { change: null, outcome: null };
          if (!hasFinished(effects)) return { change: { ...EMPTY_CHANGE, atMs: clock.nowMs(), withinMs }, outcome: null };
          return endings(actor, effects, null).then((ended) => ({ change: { ...ended, atMs: clock.nowMs(), withinMs }, outcome: null }));
        },
      }));
      if (applied.type === "claimed") throw new Error(`a step without claims was refused for ${applied.uuid}`);
      announce(actor, applied.effects);
      return applied.effects;
    },
    endings,
    announce,
    enqueueInternal: (terminalId, what, work) => {
      actors.enqueueInternal(terminalId, work).catch((error: unknown) => {
        failed(what, error);
        retry(terminalId);
      });
    },
    afterCommit: async (actor, what, work) => {
      try {
        await work();
      } catch (error) {
        failed(what, error);
        retry(actor.terminalId);
      }
    },
  };
}

export function hasFinished(effects: readonly TerminalEffect[]): boolean {
  return effects.some((effect) => effect.type === "finished");
}

export function entryOf({ uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels }: Command): NewEntry {
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels: cancels ?? null };
}

/** The record under which a command is accepted: its claim on the uuid. */
export function claimOf(command: Command): CommandRecord {
  return { revision: 0, uuid: command.uuid, terminalId: command.terminalId, command, life: null, result: null };
}

export function lifeOf({ state, sentAtMs, atMs, channel, attempts }: Finished): CommandLife {
  return { state, sentAtMs, finishedAtMs: atMs, channel, attempts };
}
