import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { buildCancel } from "../payments/utility-request.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import { viewOf } from "./command-view.ts";
import type { Delivery } from "./deliver-command.ts";
import type { TerminalEffect } from "./events.ts";
import { stepTerminal } from "./step-terminal.ts";
import { claimOf, EMPTY_CHANGE, entryOf, hasFinished, type Steps } from "./steps.ts";
import { queueRefusal, terminalQueueFull } from "./terminal-queue-full.ts";
import type { CancelOutcome } from "./terminals.ts";

/** Cancels a command: at once while it waits, else by a CANCEL command to the terminal (http/stomp/PROTOCOL.md). */
export type CancelCommand = (actor: Actor, uuid: string, cancelUuid: string) => Promise<CancelOutcome>;

export interface CancelCommandOptions {
  actors: Actors;
  steps: Steps;
  delivery: Delivery;
  clock: Clock;
}

export function createCancelCommand({ actors, steps, delivery, clock }: CancelCommandOptions): CancelCommand {
  /** The answer that needs no step, or null. */
  async function settled(actor: Actor, uuid: string): Promise<CancelOutcome | null> {
    const stored = await actors.command(actor, uuid);
    if (stored === null || stored.record.terminalId !== actor.terminalId || stored.record.command === null) return { type: "not_found" };
    if (stored.record.life !== null) return { type: "too_late", state: stored.record.life.state };
    const { queue, sent } = actor.context;
    const asked = queue.find((entry) => entry.cancels === uuid) ?? sent.find((entry) => entry.cancels === uuid);
    if (asked !== undefined) return { type: "requested", cancelUuid: asked.uuid };
    // A CANCEL is not itself cancelled.
    if (stored.record.command.kind === "cancel") return { type: "too_late", state: viewOf(stored.record, actor.context).state };
    return null;
  }

  async function step(actor: Actor, uuid: string, cancelUuid: string): Promise<readonly TerminalEffect[]> {
    const atMs = clock.nowMs();
    const target = await actors.command(actor, uuid);
    if (target === null || target.record.command === null) return [];
    const { sender, byAny, shop } = target.record.command;
    const cancel = buildCancel(target.record, cancelUuid, { acceptedAtMs: atMs, sender });
    // It takes a place of whom the command is of, whoever wants it cancelled.
    if (byAny === true) cancel.byAny = true;
    if (shop !== undefined) cancel.shop = shop;
    const stepped = await steps.run(actor, async () => {
      const step = stepTerminal(actor.context, { type: "cancel.requested", atMs, uuid, cancel: entryOf(cancel) });
      const ended = hasFinished(step.effects);
      const queued = step.effects.some((effect) => effect.type === "cancelQueued");
      // The actor knows nothing of it. Whether that is so the store says: another home may have moved on, and this one is loaded again then.
      if (!ended && !queued) return { step, change: { ...EMPTY_CHANGE, atMs }, outcome: null };
      const change = { ...(await steps.endings(actor, step.effects, null)), claims: queued ? [claimOf(cancel)] : [], atMs };
      return { step, change, outcome: null };
    });
    if (stepped.type === "claimed") throw new RelayError("conflict", "The uuid of the CANCEL command is already used");
    return stepped.effects;
  }

  return async (actor, uuid, cancelUuid) => {
    const before = await settled(actor, uuid);
    if (before !== null) return before;
    for (const effect of await step(actor, uuid, cancelUuid)) {
      if (effect.type === "refusedFull") throw terminalQueueFull(queueRefusal(effect.params, clock.nowMs()));
      if (effect.type === "finished" && effect.params.uuid === uuid) {
        return effect.params.state === "cancelled" ? { type: "cancelled" } : { type: "too_late", state: effect.params.state };
      }
      if (effect.type === "cancelQueued") {
        await steps.afterCommit(actor, "push", () => delivery.push(actor));
        return { type: "requested", cancelUuid };
      }
    }
    // Another writer moved on between the look and the step.
    const after = await settled(actor, uuid);
    if (after !== null) return after;
    throw new Error(`the cancellation of ${uuid} changed nothing`);
  };
}
