import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { SENT_COMMANDS_MAX, TAKE_WITHIN_MS } from "../kernel/limits.ts";
import type { Stored } from "../kernel/stored.ts";
import type { Command } from "../payments/command.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import { viewOf } from "./command-view.ts";
import type { Delivery } from "./deliver-command.ts";
import type { QueueFull, TerminalEffect, TerminalEvent } from "./events.ts";
import { stepThrough } from "./step-terminal.ts";
import { claimOf, EMPTY_CHANGE, entryOf, hasFinished, type StepPlan, type Steps } from "./steps.ts";
import { queueRefusal } from "./terminal-queue-full.ts";
import type { CommandRecord } from "./terminal-record.ts";
import type { TerminalStore } from "./terminal-store.ts";
import type { AcceptOutcome } from "./terminals.ts";

/** Accepts a command under its uuid, once (ARCHITECTURE.md, promise 1). */
export type AcceptCommand = (actor: Actor, command: Command) => Promise<AcceptOutcome>;

export interface AcceptCommandOptions {
  actors: Actors;
  steps: Steps;
  delivery: Delivery;
  store: TerminalStore;
  clock: Clock;
  /** The merchant whose a terminal's payments are; null for none. */
  shopOf(terminalId: string): string | null;
}

// Written out member by member where it is put together: spreading it and putting other members in their places costs a payment a microsecond.
const { commands, rows, attention, settled } = EMPTY_CHANGE;

export function createAcceptCommand({ actors, steps, delivery, store, clock, shopOf }: AcceptCommandOptions): AcceptCommand {
  /** What stands in the way of a uuid: what it is at this terminal, or what claimed it anywhere. */
  async function earlier(actor: Actor, uuid: string): Promise<Stored<CommandRecord> | null> {
    return (await actors.command(actor, uuid)) ?? store.loadCommand(uuid);
  }

  /** The answer to a repeated uuid: where the first one stands, wherever it was sent. */
  async function duplicate(actor: Actor, { uuid, request }: Command): Promise<AcceptOutcome> {
    const stored = await earlier(actor, uuid);
    if (stored === null) throw new RelayError("unavailable", "The uuid is being processed; retry shortly", { retryAfterSeconds: 1 });
    const view = viewOf(stored.record, actor.context);
    // Another home carried this very request out, and its answer did not come.
    if (request !== undefined && view.command?.request === request)
      return { type: "accepted", state: view.state === "queued" ? "queued" : "sent" };
    return { type: "duplicate", state: view.state, sender: view.command?.sender ?? "" };
  }

  /** It waited for the store until its deadline: its sender has gone long ago, and it is not taken on only to expire. */
  async function tooLate(actor: Actor, command: Command): Promise<AcceptOutcome> {
    if ((await earlier(actor, command.uuid)) !== null) return duplicate(actor, command);
    throw new RelayError("unavailable", "The store could not confirm this; retry with the same uuid", { retryAfterSeconds: 1 });
  }

  async function refused(actor: Actor, command: Command, full: QueueFull): Promise<AcceptOutcome> {
    if ((await earlier(actor, command.uuid)) !== null) return duplicate(actor, command);
    return { type: "queue_full", ...queueRefusal(full, clock.nowMs()) };
  }

  function handOut(actor: Actor, effects: readonly TerminalEffect[]): Promise<void> {
    return steps.afterCommit(actor, "push", async () => {
      await delivery.deliver(actor, effects, "at_once");
      await delivery.push(actor);
    });
  }

  function whereIs(actor: Actor, { uuid }: Command): AcceptOutcome {
    return { type: "accepted", state: actor.context.sent.some((entry) => entry.uuid === uuid) ? "sent" : "queued" };
  }

  /** The command goes out in the step that accepts it where it is first in the queue: one commit instead of two. */
  function eventsFor(actor: Actor, command: Command, atMs: number): TerminalEvent[] {
    const accepted: TerminalEvent = { type: "command.accepted", atMs, entry: entryOf(command) };
    const { queue, sent } = actor.context;
    const session = queue.length === 0 && sent.length < SENT_COMMANDS_MAX ? delivery.anySession(actor.terminalId) : null;
    return session === null ? [accepted] : [accepted, { type: "command.taken", atMs, channel: "websocket", session }];
  }

  /** The outcome is null where there was room for it, else says why not. */
  async function plan(actor: Actor, command: Command): Promise<StepPlan<QueueFull | null>> {
    const atMs = clock.nowMs();
    if (command.onlyIdle === true && hasOthers(actor, command)) throw new RelayError("conflict", "The terminal has other commands");
    const events = eventsFor(actor, command, atMs);
    // What it takes with it is written once it is stored, or never: then it must not be stored either.
    const withinMs = withinOf(command, events.length > 1 ? TAKE_WITHIN_MS : undefined, atMs);
    const step = stepThrough(actor.context, events);
    const refusal = step.effects.find((effect) => effect.type === "refusedFull");
    if (refusal !== undefined) return { step, change: null, outcome: refusal.params };
    const claims = [claimOf(command)];
    if (!hasFinished(step.effects)) return { step, change: { claims, commands, rows, attention, settled, atMs, withinMs }, outcome: null };
    return { step, change: { ...(await steps.endings(actor, step.effects, null)), claims, atMs, withinMs }, outcome: null };
  }

  return async (actor, command) => {
    if (actors.cachedCommand(actor, command.uuid) !== null) return duplicate(actor, command);
    if (Math.min(command.expiresAtMs, command.acceptBeforeMs ?? command.expiresAtMs) <= clock.nowMs()) return tooLate(actor, command);
    // Here, whichever shard it came from, and once: it is stored with it.
    command.shop = shopOf(command.terminalId);
    const stepped = await steps.run(actor, () => plan(actor, command));
    if (stepped.type === "claimed") return duplicate(actor, command);
    if (stepped.outcome !== null) return refused(actor, command, stepped.outcome);
    // From here on it is accepted, whatever becomes of handing it out.
    const { effects } = stepped;
    if (effects.some((effect) => effect.type === "deliver") || delivery.anySession(actor.terminalId) !== null)
      await handOut(actor, effects);
    return whereIs(actor, command);
  };
}

function hasOthers({ context: { queue, sent } }: Actor, { uuid }: Command): boolean {
  return [...queue, ...sent].some((entry) => entry.uuid !== uuid);
}

/** The store checks it as it commits: who sends it may sleep between any two lines. */
function withinOf({ acceptBeforeMs }: Command, withinMs: number | undefined, atMs: number): number | undefined {
  if (acceptBeforeMs === undefined) return withinMs;
  return Math.max(0, Math.min(acceptBeforeMs - atMs, withinMs ?? Number.POSITIVE_INFINITY));
}
