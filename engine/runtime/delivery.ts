import type { TakingSession, TerminalEffect, TerminalEvent } from "../actors/terminal/machine.ts";
import { nextToSend } from "../actors/terminal/rules.ts";
import { withDelivery } from "../domain/command.ts";
import { QUEUED_COMMANDS_MAX, SENT_COMMANDS_MAX } from "../domain/limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Actor, Actors } from "./actors.ts";
import type { HomeSteps } from "./home-steps.ts";
import type { LiveSession, PresenceTable } from "./presence-table.ts";

/** Commands that one push hands out at most: all that can be outstanding. A guard against a loop, never reached. */
const PUSHES_MAX = QUEUED_COMMANDS_MAX + SENT_COMMANDS_MAX;

/** Hands commands to terminals, by poll and by push (design.md, promise 2). */
export interface Delivery {
  /** The oldest command as JSON text, or null when nothing may go out. */
  poll(actor: Actor): Promise<string | null>;
  /** Hands what waits to live sessions, in order. */
  push(actor: Actor): Promise<void>;
  /** Writes what a stored step wants delivered to a session. False when nothing was to be written. */
  deliver(actor: Actor, effects: readonly TerminalEffect[]): Promise<boolean>;
  /** The session that a command would go to where nothing waits before it. */
  anySession(terminalId: string): TakingSession | null;
  /** A session has ended: what a redelivering client held unacknowledged goes back. */
  loseSession(terminalId: string, sessionId: string): void;
  /** After a load: sessions of an earlier life are gone, and what waits may go to those there are. */
  loaded(actor: Actor): void;
  /** Everything that time brings: deadlines, lost sessions, a push. */
  catchUp(actor: Actor): Promise<void>;
}

export interface DeliveryOptions {
  actors: Actors;
  steps: HomeSteps;
  table: PresenceTable;
  clock: Clock;
  /** Only its home knows all sessions of a terminal, and so which are gone. */
  isHome(terminalId: string): boolean;
  /** Puts a command to a session, wherever its socket is; false only when it was certainly not written. */
  write(session: LiveSession, uuid: string, text: string): Promise<boolean>;
  failed(what: string, error: unknown): void;
}

export function createDelivery({ actors, steps, table, clock, isHome, write, failed }: DeliveryOptions): Delivery {
  /** A live session that may get the head of the queue now. */
  function sessionFor(actor: Actor): TakingSession | null {
    const atMs = clock.nowMs();
    const session = table.pick(actor.terminalId, ({ sessionId }) => nextToSend(actor.context, atMs, sessionId) !== undefined);
    return session === null ? null : takingSession(session);
  }

  /** Reads the command that goes out next before the step that says so: once it is `sent`, nothing but the writing may fail. */
  async function readNext(actor: Actor, sessionId: string | null): Promise<boolean> {
    const next = nextToSend(actor.context, clock.nowMs(), sessionId);
    if (next === undefined) return false;
    if (actors.held(actor, next.uuid) === null) await actors.command(actor, next.uuid);
    return true;
  }

  /** Push is a poll: takes the oldest as `get` does, stores that it is sent, then writes it. */
  async function push(actor: Actor): Promise<void> {
    for (let left = PUSHES_MAX; left > 0 && actor.context.queue.length > 0; left -= 1) {
      const chosen = sessionFor(actor);
      if (chosen === null || !(await readNext(actor, chosen.id))) return;
      const effects = await steps.settle(actor, () => {
        const session = sessionFor(actor);
        return session === null ? [] : [{ type: "command.taken", atMs: clock.nowMs(), channel: "websocket", session }];
      });
      if (!(await deliver(actor, effects))) return;
    }
  }

  async function deliver(actor: Actor, effects: readonly TerminalEffect[]): Promise<boolean> {
    let any = false;
    for (const effect of effects) {
      if (effect.type !== "deliver" || effect.params.session === null) continue;
      any = true;
      const { uuid, session: sessionId } = effect.params;
      const text = await deliveryText(actor, effect);
      const session = text === null ? null : table.pick(actor.terminalId, (candidate) => candidate.sessionId === sessionId);
      if (text === null || session === null) {
        await steps.settle(actor, () => [undelivered(uuid, sessionId)]);
        continue;
      }
      // Not awaited: the socket's shard may be slow, and the next command need not wait for its answer.
      write(session, uuid, text).then(
        (written) => {
          if (!written) notWritten(actor.terminalId, sessionId, uuid);
        },
        (error: unknown) => failed("deliver", error),
      );
    }
    return any;
  }

  function undelivered(uuid: string, session: string | null): TerminalEvent {
    return { type: "command.undelivered", atMs: clock.nowMs(), uuid, session };
  }

  function notWritten(terminalId: string, sessionId: string, uuid: string): void {
    table.close(terminalId, sessionId);
    steps.owe(terminalId, "command.undelivered", async (actor) => {
      await steps.settle(actor, () => [undelivered(uuid, sessionId)]);
      await push(actor);
    });
  }

  /** The text of a taken command, or null when its deadline passed while the step was being stored: then it does not leave. */
  async function deliveryText(actor: Actor, effect: Extract<TerminalEffect, { type: "deliver" }>): Promise<string | null> {
    const { uuid, attempt, expiresAtMs } = effect.params;
    const stored = actors.held(actor, uuid) ?? (await actors.command(actor, uuid));
    if (stored === null || stored.record.command === null) throw new Error(`command ${uuid} of ${actor.terminalId} is not stored`);
    const serverTimeMs = clock.nowMs();
    if (serverTimeMs >= expiresAtMs) return null;
    return withDelivery(stored.record.command.payload, { attempt, expiresAtMs, serverTimeMs });
  }

  /** Sessions that hold something unacknowledged of a redelivering client and are no longer there. */
  function lostSessions(actor: Actor): Set<string> {
    const lost = new Set<string>();
    if (!isHome(actor.terminalId)) return lost;
    for (const entry of actor.context.sent) {
      if (entry.redeliverable && entry.session !== null && !table.has(actor.terminalId, entry.session)) lost.add(entry.session);
    }
    return lost;
  }

  function giveBack(actor: Actor): readonly TerminalEvent[] {
    // The latest first, so that at the head of the queue they stand in their old order.
    return [...lostSessions(actor)].reverse().map((session) => ({ type: "session.lost", atMs: clock.nowMs(), session }));
  }

  return {
    push,
    deliver,
    poll: async (actor) => {
      if (!(await readNext(actor, null))) return null;
      const taken: TerminalEvent = { type: "command.taken", atMs: clock.nowMs(), channel: "poll", session: null };
      const effects = await steps.settle(actor, () => [taken]);
      for (const effect of effects) {
        if (effect.type !== "deliver") continue;
        const text = await deliveryText(actor, effect);
        if (text !== null) return text;
        const { uuid } = effect.params;
        await steps.settle(actor, () => [undelivered(uuid, null)]);
      }
      return null;
    },
    anySession: (terminalId) => {
      const session = table.pick(terminalId, () => true);
      return session === null ? null : takingSession(session);
    },
    loseSession: (terminalId, sessionId) => {
      // Only what is stored as sent to it can be lost with it; what is being sent finds it gone. Most sessions end without either.
      const holds = actors.peek(terminalId)?.sent.some((entry) => entry.redeliverable && entry.session === sessionId);
      if (holds !== true) return;
      steps.owe(terminalId, "session.lost", async (actor) => {
        await steps.settle(actor, () => [{ type: "session.lost", atMs: clock.nowMs(), session: sessionId }]);
        await push(actor);
      });
    },
    loaded: (actor) => {
      if (actor.context.queue.length === 0 && lostSessions(actor).size === 0) return;
      steps.owe(actor.terminalId, "load", async () => {
        await steps.settle(actor, () => giveBack(actor));
        await push(actor);
      });
    },
    catchUp: async (actor) => {
      await steps.settle(actor, () => [...giveBack(actor), { type: "deadline.passed", atMs: clock.nowMs() }]);
      await push(actor);
      actors.rearm(actor);
    },
  };
}

function takingSession({ sessionId, acknowledges, redeliver }: LiveSession): TakingSession {
  return { id: sessionId, acknowledges, redeliver };
}
