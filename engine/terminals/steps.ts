import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { Command } from "../payments/command.ts";
import type { TerminalRow } from "../payments/feed-row.ts";
import type { Actor } from "./actor.ts";
import { type Actors, contended, isSame, STALE_RETRIES_MAX, type StepChange } from "./actors.ts";
import type { Finished, NewEntry, TerminalContext, TerminalEffect, TerminalEvent } from "./events.ts";
import { rowsOf, withLife } from "./result-decision.ts";
import { stepThrough, type TerminalStep } from "./step-terminal.ts";
import type { CommandLife, CommandRecord } from "./terminal-record.ts";
import type { TerminalStore } from "./terminal-store.ts";
import type { Waiters } from "./waiters.ts";

/** A step that stores nothing but what else it names. */
export const EMPTY_CHANGE = { claims: [], commands: [], rows: [], attention: [], settled: [] } as const;

const NO_RESULT = "The command was sent, and no result arrived";
const UNREADABLE_ANSWER =
  "The command was sent, and the terminal posted an answer that could not be read: see the terminal's unreadable items";

/** What a step comes to: the terminal as it is then, what else is stored with it, and what its caller wants to know of it. */
export interface StepPlan<T> {
  step: TerminalStep;
  /** Null: nothing of this step is stored. */
  change: StepChange | null;
  outcome: T;
}

/** What became of a step. `claimed`: the uuid of one of its claims is taken, and nothing was stored. */
export type Stepped<T> = { type: "applied"; outcome: T; effects: readonly TerminalEffect[] } | { type: "claimed"; uuid: string };

/**
 * A step goes one way, whatever it is for: what it comes to is worked out from the record in memory (`plan`), that is committed, and then those who
 * wait are told. Who ran it writes frames and answers after that.
 */
export interface Steps {
  /**
   * Runs one step, within the work on its actor. `plan` is asked again, with the actor loaded again, when another version has moved on. Rejects with RelayError
   * `unavailable` where the step was certainly not stored, since it came too late or lost too often, or where it is not known whether it was.
   */
  run<T>(actor: Actor, plan: () => Promise<StepPlan<T>>): Promise<Stepped<T>>;
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
  /** Work on an actor that no caller waits for. Where it fails the terminal is seen to again soon. */
  enqueueInternal(terminalId: string, what: string, work: (actor: Actor) => Promise<unknown>): void;
  /** What is done once a step is stored, within the same work; the caller's answer is true whether or not it succeeds. */
  afterCommit(actor: Actor, what: string, work: () => Promise<unknown>): Promise<void>;
}

export interface StepsOptions {
  actors: Actors;
  store: Pick<TerminalStore, "unreadableAnswerAtMs">;
  waiters: Waiters;
  clock: Clock;
  retry(terminalId: string): void;
  failed(what: string, error: unknown): void;
  finished(state: Finished["state"], kind: Finished["kind"]): void;
}

export function createSteps({ actors, store, waiters, clock, retry, failed, finished }: StepsOptions): Steps {
  async function run<T>(actor: Actor, plan: () => Promise<StepPlan<T>>): Promise<Stepped<T>> {
    for (let tries = 1; ; tries += 1) {
      const { step, change, outcome } = await plan();
      const { context, effects } = step;
      if (change === null) return { type: "applied", outcome, effects };
      const stored = await actors.commit(actor, context, change);
      if (stored.type === "committed") {
        announce(actor, effects);
        return { type: "applied", outcome, effects };
      }
      if (stored.type === "claimed") return stored;
      if (stored.type === "late") throw new RelayError("unavailable", "The store takes too long; retry shortly", { retryAfterSeconds: 1 });
      await actors.reload(actor);
      if (tries === STALE_RETRIES_MAX) throw contended();
    }
  }

  /** Ends of a step that are none: nothing is told of them. */
  const endedBefore = new WeakSet<TerminalEffect>();

  /** Tells those who wait, and the metrics, of the commands that a stored step ended. */
  function announce(actor: Actor, effects: readonly TerminalEffect[]): void {
    let ended = false;
    for (const effect of effects) {
      if (effect.type !== "finished" || endedBefore.has(effect)) continue;
      ended = true;
      finished(effect.params.state, effect.params.kind);
    }
    if (ended) waiters.wake(actor.terminalId);
  }

  async function endings(actor: Actor, effects: readonly TerminalEffect[], except: string | null): Promise<Omit<StepChange, "atMs">> {
    const commands: Stored<CommandRecord>[] = [];
    const rows: TerminalRow[] = [];
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

  return {
    run,
    settle: async (actor, events, withinMs) => {
      const stepped = await run(actor, async () => {
        const step = stepThrough(actor.context, events(actor.context));
        if (isSame(step.context, actor.context)) return { step, change: null, outcome: null };
        if (!hasFinished(step.effects)) return { step, change: { ...EMPTY_CHANGE, atMs: clock.nowMs(), withinMs }, outcome: null };
        const ended = await endings(actor, step.effects, null);
        return { step, change: { ...ended, atMs: clock.nowMs(), withinMs }, outcome: null };
      });
      if (stepped.type === "claimed") throw new Error(`a transition without claims was rejected for ${stepped.uuid}`);
      return stepped.effects;
    },
    endings,
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

export function entryOf({ uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels, byAny }: Command): NewEntry {
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels: cancels ?? null, byAny: byAny === true };
}

/** The record under which a command is accepted: its claim on the uuid. */
export function claimOf(command: Command): CommandRecord {
  return { revision: 0, uuid: command.uuid, terminalId: command.terminalId, command, life: null, result: null };
}

export function lifeOf({ state, sentAtMs, atMs, channel, attempts }: Finished): CommandLife {
  return { state, sentAtMs, finishedAtMs: atMs, channel, attempts };
}
