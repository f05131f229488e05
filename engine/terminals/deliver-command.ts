import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { QUEUED_COMMANDS_MAX, SENT_COMMANDS_MAX, TAKE_WITHIN_MS } from "../kernel/limits.ts";
import { withDelivery } from "../payments/command.ts";
import type { LiveSession, PresenceTable } from "../sessions/presence-table.ts";
import type { Actor } from "./actor.ts";
import type { Actors } from "./actors.ts";
import type { TakingSession, TerminalEffect, TerminalEvent } from "./events.ts";
import type { MembersView } from "./members-view.ts";
import { isHeld, nextToRedeliver, nextToSend } from "./rules.ts";
import type { Steps } from "./steps.ts";
import type { TakenCommand } from "./terminals.ts";

/** Commands that one push hands out at most: more than can await their results. A guard against a loop, never reached. */
const PUSHES_MAX = QUEUED_COMMANDS_MAX + SENT_COMMANDS_MAX;

/** `at_once`: in the step that accepted the command; `later`: its terminal was away, or had others before it. */
export type PushedWhen = "at_once" | "later";

/** Hands commands to terminals, by poll and by push (ARCHITECTURE.md, promise 2). */
export interface Delivery {
  /** The oldest command, or null when nothing may go out. What cannot be answered by `answerByMs` is not taken, or goes back. */
  poll(actor: Actor, answerByMs: number): Promise<TakenCommand | null>;
  /** Of the answer to a poll certainly nothing was written. */
  notHandedOut(terminalId: string, taken: Pick<TakenCommand, "uuid" | "sentAtMs">): void;
  /** Hands what waits to live sessions, in order. */
  push(actor: Actor): Promise<void>;
  /** Writes what a stored step wants delivered to a session. False when nothing was to be written. */
  deliver(actor: Actor, effects: readonly TerminalEffect[], when: PushedWhen): Promise<boolean>;
  /** The session that a command would go to where nothing waits before it. */
  anySession(terminalId: string): TakingSession | null;
  /** A session has ended: what a redelivering client had not acknowledged is held for the next such one. */
  loseSession(terminalId: string, sessionId: string): void;
  /** After a load: what waits, and what is held, may go to the sessions there are; those of an earlier life are gone. */
  loaded(actor: Actor): void;
  /** Everything that time brings: deadlines, lost sessions, a push. */
  catchUp(actor: Actor): Promise<void>;
  /** All sessions that there are have been told of: what others had goes on without them. */
  sessionsKnown(): void;
}

export interface DeliveryOptions {
  actors: Actors;
  steps: Steps;
  table: PresenceTable;
  clock: Clock;
  /** Only its home knows all sessions of a terminal, and so which are gone; and only once all shards have told it of theirs. */
  isHome(terminalId: string): boolean;
  isMember(): boolean;
  sessionsComplete(): boolean;
  members: MembersView;
  /** Something failed for a terminal: it is seen to again soon. */
  retry(terminalId: string): void;
  /** Puts a command to a session, wherever its socket is; false only when it was certainly not written. */
  write(session: LiveSession, uuid: string, text: string): Promise<boolean>;
  /** A command was written to a session for the first time, so long after it was accepted. For metrics. */
  pushed(when: PushedWhen, afterMs: number): void;
  failed(what: string, error: unknown): void;
}

export function createDelivery(options: DeliveryOptions): Delivery {
  const { actors, steps, table, clock, isHome, isMember, sessionsComplete, members, retry, write, pushed, failed } = options;

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
    if (actors.cachedCommand(actor, next.uuid) === null) await actors.command(actor, next.uuid);
    return true;
  }

  /** A live session that may get again what is held. */
  function sessionForHeld(actor: Actor): TakingSession | null {
    const atMs = clock.nowMs();
    const mayHave = ({ sessionId, own, redeliver }: LiveSession) =>
      own && redeliver && nextToRedeliver(actor.context, atMs, sessionId) !== undefined;
    const session = table.pick(actor.terminalId, mayHave);
    return session === null ? null : takingSession(session);
  }

  /** What is held goes first: it is the oldest, and holds up nothing where no session may have it. */
  async function redeliver(actor: Actor): Promise<void> {
    for (let left = SENT_COMMANDS_MAX; left > 0 && actor.context.sent.some(isHeld); left -= 1) {
      const chosen = sessionForHeld(actor);
      const next = chosen === null ? undefined : nextToRedeliver(actor.context, clock.nowMs(), chosen.id);
      if (next === undefined) return;
      if (actors.cachedCommand(actor, next.uuid) === null) await actors.command(actor, next.uuid);
      const take = (): TerminalEvent[] => {
        const session = sessionForHeld(actor);
        return session === null ? [] : [{ type: "command.redelivered", atMs: clock.nowMs(), session }];
      };
      const effects = await steps.settle(actor, take, TAKE_WITHIN_MS);
      if (!(await deliver(actor, effects, "later"))) return;
    }
  }

  /** Push is a poll: takes the oldest as `get` does, stores that it is sent, then writes it. */
  async function push(actor: Actor): Promise<void> {
    // Asked here, too, so that a payment makes no promise for it.
    if (actor.context.sent.some(isHeld)) await redeliver(actor);
    for (let left = PUSHES_MAX; left > 0 && actor.context.queue.length > 0; left -= 1) {
      const chosen = sessionFor(actor);
      if (chosen === null || !(await readNext(actor, chosen.id))) return;
      const take = (): TerminalEvent[] => {
        const session = sessionFor(actor);
        return session === null ? [] : [{ type: "command.taken", atMs: clock.nowMs(), channel: "websocket", session }];
      };
      const effects = await steps.settle(actor, take, TAKE_WITHIN_MS);
      if (!(await deliver(actor, effects, "later"))) return;
    }
  }

  async function deliver(actor: Actor, effects: readonly TerminalEffect[], when: PushedWhen): Promise<boolean> {
    let any = false;
    for (const effect of effects) {
      if (effect.type !== "deliver" || effect.params.session === null) continue;
      any = true;
      const { uuid, attempt, session: sessionId } = effect.params;
      const leaving = await leavingNow(actor, effect);
      const session = leaving === null ? null : table.pick(actor.terminalId, (candidate) => candidate.sessionId === sessionId);
      if (leaving === null || session === null) {
        await steps.settle(actor, () => [undelivered(uuid, sessionId, null)]);
        continue;
      }
      // Not awaited: the socket's shard may be slow, and the next command need not wait for its answer.
      write(session, uuid, leaving.text).then(
        (written) => {
          if (!written) notWritten(actor.terminalId, sessionId, uuid);
          else if (attempt === 1) pushed(when, Math.max(0, clock.nowMs() - leaving.acceptedAtMs));
        },
        (error: unknown) => failed("deliver", error),
      );
    }
    return any;
  }

  function undelivered(uuid: string, session: string | null, sentAtMs: number | null): TerminalEvent {
    return { type: "command.undelivered", atMs: clock.nowMs(), uuid, session, sentAtMs };
  }

  function putBack(terminalId: string, uuid: string, session: string | null, sentAtMs: number | null): void {
    steps.enqueueInternal(terminalId, "command.undelivered", async (actor) => {
      await steps.settle(actor, () => [undelivered(uuid, session, sentAtMs)]);
      await push(actor);
    });
  }

  function notWritten(terminalId: string, sessionId: string, uuid: string): void {
    table.close(terminalId, sessionId);
    putBack(terminalId, uuid, sessionId, null);
  }

  /**
   * A taken command as it leaves, or null when its deadline passed while the step was being stored, or another shard has ended it since: then it does not
   * leave.
   */
  async function leavingNow(actor: Actor, effect: Extract<TerminalEffect, { type: "deliver" }>): Promise<LeavingCommand | null> {
    const { uuid, attempt, expiresAtMs } = effect.params;
    const stored = actors.cachedCommand(actor, uuid) ?? (await actors.command(actor, uuid));
    if (stored === null || stored.record.command === null) throw new Error(`command ${uuid} of ${actor.terminalId} is not stored`);
    const serverTimeMs = clock.nowMs();
    if (serverTimeMs >= expiresAtMs || stored.record.life !== null) return null;
    const { payload, acceptedAtMs } = stored.record.command;
    return { text: withDelivery(payload, { attempt, expiresAtMs, serverTimeMs }), acceptedAtMs };
  }

  /** Sessions that hold something unacknowledged of a redelivering client and are no longer there. */
  function lostSessions(actor: Actor): Set<string> {
    const lost = new Set<string>();
    if (!sessionsComplete() || !isHome(actor.terminalId)) return lost;
    for (const entry of actor.context.sent) {
      if (entry.redeliverable && entry.session !== null && !table.has(actor.terminalId, entry.session)) lost.add(entry.session);
    }
    return lost;
  }

  /**
   * The node of a session that is not known here may have joined a moment ago, be the terminal's home, and have stored what this one reads: a session counts as
   * lost only where the members are known as they were after that.
   */
  function hold(actor: Actor): readonly TerminalEvent[] {
    if (members.askedAt() < actor.readAt) return [];
    return [...lostSessions(actor)].map((session) => ({ type: "session.lost", atMs: clock.nowMs(), session }));
  }

  /** Sees to lost sessions, and pushes. Where the record is read again meanwhile this is done again (`loaded`). */
  function holdAndPush({ terminalId, readAt }: Actor): void {
    members.since(readAt).then(
      () =>
        steps.enqueueInternal(terminalId, "sessions", async (actor) => {
          await steps.settle(actor, () => hold(actor));
          await push(actor);
        }),
      (error: unknown) => {
        failed("members", error);
        retry(terminalId);
      },
    );
  }

  return {
    push,
    deliver,
    poll: async (actor, answerByMs) => {
      if (!(await readNext(actor, null))) return null;
      const sentAtMs = clock.nowMs();
      const take: TerminalEvent = { type: "command.taken", atMs: sentAtMs, channel: "poll", session: null };
      const effects = await steps.settle(actor, () => [take], Math.min(answerByMs - sentAtMs, TAKE_WITHIN_MS));
      for (const effect of effects) {
        if (effect.type !== "deliver") continue;
        const { uuid } = effect.params;
        const leaving = await leavingNow(actor, effect);
        // Who asked a node that was away has been told that it is gone, and takes no answer from it.
        const isLate = clock.nowMs() > answerByMs || !isMember();
        if (leaving !== null && !isLate) return { uuid, text: leaving.text, sentAtMs };
        await steps.settle(actor, () => [undelivered(uuid, null, sentAtMs)]);
        if (isLate) throw new RelayError("unavailable", "The store takes too long; retry shortly", { retryAfterSeconds: 1 });
      }
      return null;
    },
    notHandedOut: (terminalId, { uuid, sentAtMs }) => putBack(terminalId, uuid, null, sentAtMs),
    anySession: (terminalId) => {
      const session = table.pick(terminalId, () => true);
      return session === null ? null : takingSession(session);
    },
    loseSession: (terminalId, sessionId) => {
      // Only what is stored as sent to it can be lost with it; what is being sent finds it gone. Most sessions end without either.
      const holds = actors.peek(terminalId)?.sent.some((entry) => entry.redeliverable && entry.session === sessionId);
      if (holds !== true) return;
      steps.enqueueInternal(terminalId, "session.lost", async (actor) => {
        await steps.settle(actor, () => [{ type: "session.lost", atMs: clock.nowMs(), session: sessionId }]);
        await push(actor);
      });
    },
    loaded: (actor) => {
      const { queue, sent } = actor.context;
      if (queue.length > 0 || sent.some(isHeld)) steps.enqueueInternal(actor.terminalId, "sessions", push);
      if (lostSessions(actor).size > 0) holdAndPush(actor);
    },
    sessionsKnown: () => {
      for (const actor of actors.withUnacknowledged()) if (lostSessions(actor).size > 0) holdAndPush(actor);
    },
    catchUp: async (actor) => {
      await steps.settle(actor, () => [...hold(actor), { type: "deadline.passed", atMs: clock.nowMs() }]);
      if (lostSessions(actor).size > 0) holdAndPush(actor);
      await push(actor);
      actors.rearm(actor);
    },
  };
}

interface LeavingCommand {
  /** As the terminal gets it. */
  text: string;
  acceptedAtMs: number;
}

function takingSession({ sessionId, acknowledges, redeliver }: LiveSession): TakingSession {
  return { id: sessionId, acknowledges, redeliver };
}
