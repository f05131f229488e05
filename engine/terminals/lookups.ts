import type { Clock } from "../kernel/clock.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import { isSettled, viewOf } from "./command-view.ts";
import type { CommandView } from "./terminals.ts";
import type { Waiters } from "./waiters.ts";

/** Where commands stand, at once or when there is a result. A wait whose asker has gone rejects with the reason of `gone`. */
export interface Lookups {
  command(terminalId: string, uuid: string, waitMs: number, gone?: AbortSignal): Promise<CommandView | null>;
  /** The latest command of a terminal, or of one sender there. */
  latest(terminalId: string, sender: string | null, waitMs: number, gone?: AbortSignal): Promise<CommandView | null>;
}

type Read = (actor: Actor) => Promise<CommandView | null>;

export function createLookups({ actors, waiters, clock }: { actors: Actors; waiters: Waiters; clock: Clock }): Lookups {
  async function view(actor: Actor, uuid: string): Promise<CommandView | null> {
    const stored = await actors.command(actor, uuid);
    return stored === null ? null : viewOf(stored.record, actor.context);
  }

  /** What a home knows that others do not take for one any more is old. */
  async function current(actor: Actor, read: Read): Promise<CommandView | null> {
    await actors.catchUp(actor);
    return read(actor);
  }

  /** Reads a view until it is settled or the time is up, and then as it is at that time. */
  async function waitFor(terminalId: string, waitMs: number, read: Read, gone?: AbortSignal): Promise<CommandView | null> {
    if (waitMs <= 0) return actors.enqueue(terminalId, (actor) => current(actor, read));
    const deadlineAt = clock.monotonicMs() + waitMs;
    for (;;) {
      const { found, changed } = await actors.enqueue(terminalId, async (actor) => {
        const view = await current(actor, read);
        if (view !== null && isSettled(view)) return { found: view, changed: null };
        // Registered before anything else can happen to the actor, so that no result is missed.
        return { found: view, changed: waiters.next(terminalId, deadlineAt, gone) };
      });
      if (changed === null) return found;
      const hasChanged = await changed;
      gone?.throwIfAborted();
      if (!hasChanged) return actors.enqueue(terminalId, (actor) => current(actor, read));
    }
  }

  return {
    command: (terminalId, uuid, waitMs, gone) => waitFor(terminalId, waitMs, (actor) => view(actor, uuid), gone),
    latest: (terminalId, sender, waitMs, gone) => {
      const read: Read = async (actor) => {
        const entry = sender === null ? actor.context.latest[0] : actor.context.latest.find((latest) => latest.sender === sender);
        return entry === undefined ? null : view(actor, entry.uuid);
      };
      return waitFor(terminalId, waitMs, read, gone);
    },
  };
}
