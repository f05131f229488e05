import type { Clock } from "../kernel/clock.ts";
import type { Stored } from "../kernel/stored.ts";
import { notBefore } from "../payments/command.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import type { Delivery } from "./deliver-command.ts";
import {
  type Administered,
  asSent,
  attentionOf,
  cancelledAfterUnknown,
  classifyResult,
  recordedEvent,
  rowsOf,
  withResult,
} from "./result-decision.ts";
import { stepTerminal } from "./step-terminal.ts";
import { EMPTY_CHANGE, lifeOf, type StepPlan, type Steps } from "./steps.ts";
import type { CommandLife, CommandRecord } from "./terminal-record.ts";
import type { ResultOutcome, ResultPosting } from "./terminals.ts";
import type { Waiters } from "./waiters.ts";

/** Stores a terminal's result (ARCHITECTURE.md, promise 4). */
export type StoreResult = (actor: Actor, posting: ResultPosting) => Promise<ResultOutcome>;

export interface StoreResultOptions {
  actors: Actors;
  steps: Steps;
  delivery: Delivery;
  waiters: Waiters;
  clock: Clock;
  /** What is administered of a terminal's merchant. */
  administeredOf(terminalId: string): Administered;
  /** A result was stored that was not there before; for counts. */
  recorded(transaction: Transaction): void;
}

/** The outcome of a step, with what is told of it once it is stored. */
type Decided = { type: "repeated" } | { type: "conflict" } | { type: "recorded"; transaction: Transaction };

export function createStoreResult({ actors, steps, delivery, waiters, clock, administeredOf, recorded }: StoreResultOptions): StoreResult {
  async function plan(actor: Actor, posted: ResultPosting): Promise<StepPlan<Decided>> {
    const atMs = clock.nowMs();
    const stored = await actors.command(actor, posted.result.uuid);
    const posting = asSent(posted, stored?.record ?? null);
    const { uuid } = posting.result;
    const decision = classifyResult(posting, stored?.record ?? null, atMs, administeredOf(posting.terminalId));
    const unchanged = { context: actor.context, effects: [] };
    if (decision.type === "repeated") return { step: unchanged, change: null, outcome: { type: "repeated" } };
    if (decision.type === "conflict") {
      const change = { ...EMPTY_CHANGE, rows: [decision.row], attention: [decision.attention], atMs };
      return { step: unchanged, change, outcome: { type: "conflict" } };
    }
    const cancels = stored?.record.command?.cancels ?? null;
    const step = stepTerminal(actor.context, recordedEvent(posting, { unsolicited: decision.unsolicited, cancels, atMs }));
    const own = step.effects.find((effect) => effect.type === "finished" && effect.params.uuid === uuid);
    const before = stored?.record.life ?? null;
    const life = own?.type === "finished" ? lifeOf(own.params) : lateLife(before, atMs);
    const record = withResult(stored?.record ?? null, posting, decision.result, life);
    const ended = await steps.endings(actor, step.effects, uuid);
    const target = posting.result.status === "OK" && cancels !== null ? await unknownTarget(actor, cancels, ended.commands, atMs) : null;
    const settled = [before?.state === "unknown" ? uuid : null, target?.record.uuid ?? null].filter((id) => id !== null);
    return {
      step,
      change: {
        ...ended,
        commands: [...ended.commands, { record, version: stored?.version ?? 0 }, ...(target === null ? [] : [target])],
        rows: [...ended.rows, ...rowsOf(record), ...(target === null ? [] : rowsOf(target.record))],
        attention: [...ended.attention, ...attentionOf(record, before, atMs)],
        settled: settled.map((id) => ({ kind: "unknown", terminalId: actor.terminalId, uuid: id })),
        atMs,
      },
      outcome: { type: "recorded", transaction: decision.result.transaction },
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
    const stepped = await steps.run(actor, () => plan(actor, posting));
    if (stepped.type === "claimed") throw new Error("a result does not claim its uuid");
    const { outcome } = stepped;
    if (outcome.type !== "recorded") return outcome;
    recorded(outcome.transaction);
    waiters.wake(actor.terminalId);
    // There is room again where the bound on unanswered commands held something back.
    await steps.afterCommit(actor, "push", () => delivery.push(actor));
    return { type: "recorded" };
  };
}

/** A result for a command that had ended already, or that never was. */
function lateLife(before: CommandLife | null, atMs: number): CommandLife {
  if (before === null) return { state: "done", sentAtMs: null, finishedAtMs: atMs, channel: null, attempts: 0 };
  return { ...before, state: "done", finishedAtMs: notBefore(atMs, before.finishedAtMs) };
}
