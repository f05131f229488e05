import type { Clock } from "../kernel/clock.ts";
import type { Stored } from "../kernel/stored.ts";
import { notBefore } from "../payments/command.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Actor } from "./actor.ts";
import type { Actors, StepPlan } from "./actors.ts";
import type { Delivery } from "./deliver-command.ts";
import { EMPTY_CHANGE, type HomeSteps, lifeOf } from "./home-steps.ts";
import { asSent, attentionOf, cancelledAfterUnknown, classifyResult, recordedEvent, rowsOf, withResult } from "./result-decision.ts";
import type { CommandLife, CommandRecord } from "./terminal-record.ts";
import type { ResultOutcome, ResultPosting } from "./terminals.ts";
import type { Waiters } from "./waiters.ts";

/** Stores a terminal's result (ARCHITECTURE.md, promise 4). */
export type StoreResult = (actor: Actor, posting: ResultPosting) => Promise<ResultOutcome>;

export interface StoreResultOptions {
  actors: Actors;
  steps: HomeSteps;
  delivery: Delivery;
  waiters: Waiters;
  clock: Clock;
  /** The merchant that is administered for a terminal; null for none. */
  merchantOf(terminalId: string): string | null;
  /** A result was stored that was not there before; for counts. */
  recorded(transaction: Transaction): void;
}

export function createStoreResult({ actors, steps, delivery, waiters, clock, merchantOf, recorded }: StoreResultOptions): StoreResult {
  async function plan(
    actor: Actor,
    posted: ResultPosting,
    atMs: number,
    keep: (transaction: Transaction) => void,
  ): Promise<StepPlan<ResultOutcome>> {
    const stored = await actors.command(actor, posted.result.uuid);
    const posting = asSent(posted, stored?.record ?? null);
    const { uuid } = posting.result;
    const decision = classifyResult(posting, stored?.record ?? null, atMs, merchantOf(posting.terminalId));
    if (decision.type === "repeated") return { events: [], complete: () => ({ change: null, outcome: { type: "repeated" } }) };
    if (decision.type === "conflict") {
      const change = { ...EMPTY_CHANGE, rows: [decision.row], attention: [decision.attention], atMs };
      return { events: [], complete: () => ({ change, outcome: { type: "conflict" } }) };
    }
    keep(decision.result.transaction);
    const cancels = stored?.record.command?.cancels ?? null;
    return {
      events: [recordedEvent(posting, { unsolicited: decision.unsolicited, cancels, atMs })],
      complete: async ({ effects }) => {
        const own = effects.find((effect) => effect.type === "finished" && effect.params.uuid === uuid);
        const before = stored?.record.life ?? null;
        const life = own?.type === "finished" ? lifeOf(own.params) : lateLife(before, atMs);
        const record = withResult(stored?.record ?? null, posting, decision.result, life);
        const ended = await steps.endings(actor, effects, uuid);
        const target =
          posting.result.status === "OK" && cancels !== null ? await unknownTarget(actor, cancels, ended.commands, atMs) : null;
        const settled = [before?.state === "unknown" ? uuid : null, target?.record.uuid ?? null].filter((id) => id !== null);
        return {
          change: {
            ...ended,
            commands: [...ended.commands, { record, version: stored?.version ?? 0 }, ...(target === null ? [] : [target])],
            rows: [...ended.rows, ...rowsOf(record), ...(target === null ? [] : rowsOf(target.record))],
            attention: [...ended.attention, ...attentionOf(record, before, atMs)],
            settled: settled.map((id) => ({ kind: "unknown", terminalId: actor.terminalId, uuid: id })),
            atMs,
          },
          outcome: { type: "recorded" },
        };
      },
    };
  }

  /** A CANCEL that was answered OK after its target had already been shown as unknown. */
  async function unknownTarget(
    actor: Actor,
    cancels: string,
    ended: readonly Stored<CommandRecord>[],
    atMs: number,
  ): Promise<Stored<CommandRecord> | null> {
    if (ended.some((stored) => stored.record.uuid === cancels)) return null;
    return cancelledAfterUnknown(await actors.command(actor, cancels), atMs);
  }

  return async (actor, posting) => {
    let transaction: Transaction | null = null;
    const keep = (found: Transaction) => {
      transaction = found;
    };
    const applied = await actors.apply(actor, () => plan(actor, posting, clock.nowMs(), keep));
    if (applied.type === "claimed") throw new Error("a result claims no uuid");
    steps.announce(actor, applied.effects);
    if (applied.outcome.type === "recorded") {
      if (transaction !== null) recorded(transaction);
      waiters.wake(actor.terminalId);
      // There is room again where the bound on unanswered commands held something back.
      await steps.afterCommit(actor, "push", () => delivery.push(actor));
    }
    return applied.outcome;
  };
}

/** A result for a command that had ended already, or that never was. */
function lateLife(before: CommandLife | null, atMs: number): CommandLife {
  if (before === null) return { state: "done", sentAtMs: null, finishedAtMs: atMs, channel: null, attempts: 0 };
  return { ...before, state: "done", finishedAtMs: notBefore(atMs, before.finishedAtMs) };
}
