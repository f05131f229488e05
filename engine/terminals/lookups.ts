import type { Clock } from "../kernel/clock.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import { isSettled, viewOf } from "./command-view.ts";
import type { CommandView } from "./terminals.ts";
import type { Waiters } from "./waiters.ts";

/** Where commands stand, at once or when there is a result. */
export interface Lookups {
  command(terminalId: string, uuid: string, waitMs: number): Promise<CommandView | null>;
  /** The latest command of a terminal, or of one sender there. */
  latest(terminalId: string, sender: string | null, waitMs: number): Promise<CommandView | null>;
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
  async function waitFor(terminalId: string, waitMs: number, read: Read): Promise<CommandView | null> {
    if (waitMs <= 0) return actors.enqueue(terminalId, (actor) => current(actor, read));
    const deadlineAt = clock.monotonicMs() + waitMs;
    for (;;) {
      const { found, changed } = await actors.enqueue(terminalId, async (actor) => {
        const view = await current(actor, read);
        if (view !== null && isSettled(view)) return { found: view, changed: null };
        // Registered before anything else can happen to the actor, so that no result is missed.
        return { found: view, changed: waiters.next(terminalId, deadlineAt) };
      });
      if (changed === null) return found;
      if (!(await changed)) return actors.enqueue(terminalId, (actor) => current(actor, read));
    }
  }

  return {
    command: (terminalId, uuid, waitMs) => waitFor(terminalId, waitMs, (actor) => view(actor, uuid)),
    latest: (terminalId, sender, waitMs) =>
      waitFor(terminalId, waitMs, async (actor) => {
        const entry = sender === null ? actor.context.latest[0] : actor.context.latest.find((latest) => latest.sender === sender);
        return entry === undefined ? null : view(actor, entry.uuid);
      }),
  };
}
