import type { Finished, NewEntry, TakingSession, TerminalEffect, TerminalEvent } from "../actors/terminal/machine.ts";
import { nextToSend } from "../actors/terminal/machine.ts";
import type { AttentionItem } from "../domain/attention.ts";
import { type Command, withDelivery } from "../domain/command.ts";
import { RelayError } from "../domain/errors.ts";
import type { FeedRow } from "../domain/feed-row.ts";
import { SENT_COMMANDS_MAX } from "../domain/limits.ts";
import type { DeviceInfo } from "../domain/presence.ts";
import type { CommandLife, CommandRecord } from "../domain/terminal-record.ts";
import { buildCancel } from "../domain/utility-request.ts";
import type { Address } from "../ports/bus.ts";
import type { Clock } from "../ports/clock.ts";
import type { OpenSession } from "../ports/terminal-sessions.ts";
import type { Stored, TerminalStore } from "../ports/terminal-store.ts";
import type {
  AcceptOutcome,
  CancelOutcome,
  CommandView,
  PresenceStore,
  ResultOutcome,
  ResultPosting,
  TerminalView,
} from "../ports/terminals.ts";
import { type Actor, type Completion, createActors, type StepPlan } from "./actors.ts";
import { isSettled, viewOf } from "./command-view.ts";
import type { LiveSession, PresenceTable } from "./presence-table.ts";
import { attentionOf, cancelledAfterUnknown, judge, recordedEvent, rowsOf, withLife, withResult } from "./recording.ts";
import { createTimerWheel } from "./timer-wheel.ts";
import { createWaiters } from "./waiters.ts";
import type { WaitingCounters } from "./waiting-counters.ts";

/** Presence records stored in one batch, and how often a batch is stored. */
const PRESENCE_BATCH_MAX = 5_000;
const PRESENCE_FLUSH_MS = 1_000;

/** Records read at once when deadlines are re-armed at start. */
const REARM_PAGE = 1_000;

export interface TerminalHomeOptions {
  nodeId: string;
  store: TerminalStore;
  presences: PresenceStore;
  table: PresenceTable;
  waiting: WaitingCounters;
  clock: Clock;
  /** True for the terminals whose home this is. */
  isHome(terminalId: string): boolean;
  /** Puts a command to a session, wherever its socket is; false only when it was certainly not written. */
  deliver(session: LiveSession, uuid: string, text: string): Promise<boolean>;
  /** Something went wrong that no caller waits for; for the log. */
  failed(what: string, error: unknown): void;
  /** A command came to its end; for metrics. */
  finished(state: Finished["state"], kind: Finished["kind"]): void;
}

/** The home of terminals: carries out, one at a time for each terminal, everything that concerns its actor and presence. */
export interface TerminalHome {
  /** Re-arms the deadlines of all stored terminals whose home this is. Has to end before anything else is asked. */
  start(): Promise<void>;
  /** Fires deadlines and stores presence; called by the owner every 50 ms or so. */
  tick(): void;
  /** Stores what is known of presence. */
  flush(): Promise<void>;
  accept(command: Command): Promise<AcceptOutcome>;
  poll(terminalId: string, device: DeviceInfo): Promise<string | null>;
  polled(terminalId: string, device: DeviceInfo): void;
  recordResult(posting: ResultPosting): Promise<ResultOutcome>;
  cancel(request: { terminalId: string; uuid: string; cancelUuid: string }): Promise<CancelOutcome>;
  command(terminalId: string, uuid: string, waitMs: number): Promise<CommandView | null>;
  latest(terminalId: string, sender: string | null, waitMs: number): Promise<CommandView | null>;
  view(terminalId: string): Promise<TerminalView>;
  disconnect(terminalId: string): void;
  open(session: OpenSession, address: Address): void;
  close(terminalId: string, sessionId: string): void;
  active(terminalId: string, sessionId: string): void;
  acknowledge(terminalId: string, sessionId: string, uuids: readonly string[]): void;
  refuse(terminalId: string, sessionId: string, uuids: readonly string[]): void;
  counts(): { actors: number; sessions: number; waiters: number };
}

type Change = NonNullable<Completion<null>["change"]>;

const EMPTY_CHANGE = { claims: [], commands: [], rows: [], attention: [], settled: [] } as const;

export function createTerminalHome(options: TerminalHomeOptions): TerminalHome {
  const { clock, store, table, waiting, presences } = options;
  const wheel = createTimerWheel();
  const waiters = createWaiters(clock);
  const actors = createActors({ store, wheel, waiting, loaded: giveBackLost });
  let flushedAt = clock.monotonicMs();
  let flushing: Promise<void> | null = null;

  /** Work on an actor that no caller waits for. */
  function background(terminalId: string, what: string, work: (actor: Actor) => Promise<unknown>): void {
    actors.enter(terminalId, work).catch((error: unknown) => options.failed(what, error));
  }

  /** After a load: sessions of an earlier life are gone, and what a redelivering client held unacknowledged goes back. */
  function giveBackLost(actor: Actor): void {
    const lost = new Set<string>();
    for (const entry of actor.context.sent) {
      if (entry.redeliverable && entry.session !== null && !table.has(actor.terminalId, entry.session)) lost.add(entry.session);
    }
    for (const session of lost) loseSession(actor.terminalId, session);
  }

  function loseSession(terminalId: string, session: string): void {
    background(terminalId, "session.lost", async (actor) => {
      await settle(actor, [{ type: "session.lost", atMs: clock.nowMs(), session }]);
      await push(actor);
    });
  }

  /** Lives, rows and attention items of the commands that a step ended; `except` is written by its caller. */
  async function endings(actor: Actor, effects: readonly TerminalEffect[], except: string | null): Promise<Omit<Change, "atMs">> {
    const commands: Stored<CommandRecord>[] = [];
    const rows: FeedRow[] = [];
    const attention: AttentionItem[] = [];
    for (const effect of effects) {
      if (effect.type !== "finished" || effect.params.uuid === except) continue;
      const stored = await actors.command(actor, effect.params.uuid);
      if (stored === null) throw new Error(`command ${effect.params.uuid} of ${actor.terminalId} is not stored`);
      const record = withLife(stored.record, lifeOf(effect.params));
      commands.push({ record, version: stored.version });
      rows.push(...rowsOf(record));
      if (effect.params.state === "unknown" && effect.params.kind === "payment") {
        const { atMs, uuid } = effect.params;
        attention.push({ kind: "unknown", terminalId: actor.terminalId, uuid, atMs, detail: "Sent, and no result came", raw: null });
      }
    }
    return { ...EMPTY_CHANGE, commands, rows, attention };
  }

  /** Steps events that need nothing stored but the endings they bring. */
  async function settle(actor: Actor, events: readonly TerminalEvent[]): Promise<readonly TerminalEffect[]> {
    const atMs = clock.nowMs();
    const applied = await actors.apply(actor, () => ({
      events,
      complete: async ({ context, effects }) => {
        const before = actor.context;
        const same = context.queue === before.queue && context.sent === before.sent && context.latest === before.latest;
        return { change: same ? null : { ...(await endings(actor, effects, null)), atMs }, outcome: null };
      },
    }));
    if (applied.type === "claimed") throw new Error(`a step without claims was refused for ${applied.uuid}`);
    announce(actor, applied.effects);
    return applied.effects;
  }

  function announce(actor: Actor, effects: readonly TerminalEffect[]): void {
    let ended = false;
    for (const effect of effects) {
      if (effect.type !== "finished") continue;
      ended = true;
      options.finished(effect.params.state, effect.params.kind);
    }
    if (ended) waiters.wake(actor.terminalId);
  }

  /** A live session that may get the head of the queue now. */
  function sessionFor(actor: Actor): TakingSession | null {
    const atMs = clock.nowMs();
    const session = table.pick(actor.terminalId, ({ sessionId }) => nextToSend(actor.context, atMs, sessionId) !== undefined);
    return session === null ? null : takingSession(session);
  }

  /** Push is a poll: takes the oldest as `get` does, stores that it is sent, then writes it (design.md, promise 2). */
  async function push(actor: Actor): Promise<void> {
    while (actor.context.queue.length > 0) {
      const session = sessionFor(actor);
      if (session === null) return;
      const effects = await settle(actor, [{ type: "command.taken", atMs: clock.nowMs(), channel: "websocket", session }]);
      const delivered = await deliver(actor, effects);
      if (!delivered) return;
    }
  }

  /** Writes what a stored step wants delivered to a session. False when nothing was to be written. */
  async function deliver(actor: Actor, effects: readonly TerminalEffect[]): Promise<boolean> {
    let any = false;
    for (const effect of effects) {
      if (effect.type !== "deliver" || effect.params.session === null) continue;
      any = true;
      const { uuid, session: sessionId } = effect.params;
      const text = await deliveryText(actor, effect);
      const session = text === null ? null : table.pick(actor.terminalId, (candidate) => candidate.sessionId === sessionId);
      if (text === null || session === null) {
        await settle(actor, [{ type: "command.undelivered", atMs: clock.nowMs(), uuid, session: sessionId }]);
        continue;
      }
      // Not awaited: the socket's shard may be slow, and the next command need not wait for its answer.
      options.deliver(session, uuid, text).then(
        (written) => {
          if (!written) notWritten(actor.terminalId, sessionId, uuid);
        },
        (error: unknown) => options.failed("deliver", error),
      );
    }
    return any;
  }

  function notWritten(terminalId: string, sessionId: string, uuid: string): void {
    table.close(terminalId, sessionId);
    background(terminalId, "command.undelivered", async (actor) => {
      await settle(actor, [{ type: "command.undelivered", atMs: clock.nowMs(), uuid, session: sessionId }]);
      await push(actor);
    });
  }

  /** The text of a taken command, or null when its deadline passed while the step was being stored: then it does not leave. */
  async function deliveryText(actor: Actor, effect: Extract<TerminalEffect, { type: "deliver" }>): Promise<string | null> {
    const { uuid, attempt, expiresAtMs } = effect.params;
    const stored = await actors.command(actor, uuid);
    if (stored === null || stored.record.command === null) throw new Error(`command ${uuid} of ${actor.terminalId} is not stored`);
    const serverTimeMs = clock.nowMs();
    if (serverTimeMs >= expiresAtMs) return null;
    return withDelivery(stored.record.command.payload, { attempt, expiresAtMs, serverTimeMs });
  }

  async function currentView(actor: Actor, uuid: string): Promise<CommandView | null> {
    const stored = await actors.command(actor, uuid);
    return stored === null ? null : viewOf(stored.record, actor.context);
  }

  /** The answer to a repeated uuid: where the first one stands, wherever it was sent. */
  async function duplicate(actor: Actor, uuid: string): Promise<AcceptOutcome> {
    const view = await currentView(actor, uuid);
    if (view === null) throw new RelayError("unavailable", "The uuid is being processed, try again", { retryAfterSeconds: 1 });
    return { type: "duplicate", state: view.state, sender: view.command?.sender ?? "" };
  }

  async function accept(actor: Actor, command: Command): Promise<AcceptOutcome> {
    if (actor.commands.has(command.uuid)) return duplicate(actor, command.uuid);
    const atMs = clock.nowMs();
    const events: TerminalEvent[] = [{ type: "command.accepted", atMs, entry: entryOf(command) }];
    // The command goes out in the step that accepts it where it is first in the queue: one commit instead of two.
    const session = actor.context.queue.length === 0 && actor.context.sent.length < SENT_COMMANDS_MAX ? anySession(actor) : null;
    if (session !== null) events.push({ type: "command.taken", atMs, channel: "websocket", session });
    const claim: CommandRecord = {
      schema: 1,
      revision: 0,
      uuid: command.uuid,
      terminalId: command.terminalId,
      command,
      life: null,
      result: null,
    };
    const applied = await actors.apply<boolean>(actor, () => ({
      events,
      complete: async ({ effects }) => {
        if (effects.some((effect) => effect.type === "refusedFull")) return { change: null, outcome: false };
        const ended = effects.some((effect) => effect.type === "finished") ? await endings(actor, effects, null) : EMPTY_CHANGE;
        return { change: { ...ended, claims: [claim], atMs }, outcome: true };
      },
    }));
    if (applied.type === "claimed") return duplicate(actor, command.uuid);
    if (!applied.outcome) {
      const earlier = await store.loadCommand(command.uuid);
      return earlier === null ? { type: "queue_full" } : duplicate(actor, command.uuid);
    }
    announce(actor, applied.effects);
    if (session === null) {
      await push(actor);
    } else {
      await deliver(actor, applied.effects);
    }
    return { type: "accepted", state: actor.context.sent.some((entry) => entry.uuid === command.uuid) ? "sent" : "queued" };
  }

  function anySession(actor: Actor): TakingSession | null {
    const session = table.pick(actor.terminalId, () => true);
    return session === null ? null : takingSession(session);
  }

  async function poll(actor: Actor): Promise<string | null> {
    const effects = await settle(actor, [{ type: "command.taken", atMs: clock.nowMs(), channel: "poll", session: null }]);
    for (const effect of effects) {
      if (effect.type !== "deliver") continue;
      const text = await deliveryText(actor, effect);
      if (text !== null) return text;
      await settle(actor, [{ type: "command.undelivered", atMs: clock.nowMs(), uuid: effect.params.uuid, session: null }]);
    }
    return null;
  }

  async function recordResult(actor: Actor, posting: ResultPosting): Promise<ResultOutcome> {
    const applied = await actors.apply(actor, () => planResult(actor, posting, clock.nowMs()));
    if (applied.type === "claimed") throw new Error("a result claims no uuid");
    announce(actor, applied.effects);
    if (applied.outcome.type === "recorded") {
      waiters.wake(actor.terminalId);
      // There is room again where the bound on unanswered commands held something back.
      await push(actor);
    }
    return applied.outcome;
  }

  async function planResult(actor: Actor, posting: ResultPosting, atMs: number): Promise<StepPlan<ResultOutcome>> {
    const { uuid } = posting.result;
    const stored = await actors.command(actor, uuid);
    const judgement = judge(posting, stored?.record ?? null, atMs);
    if (judgement.type === "repeated") return { events: [], complete: () => ({ change: null, outcome: { type: "repeated" } }) };
    if (judgement.type === "conflict") {
      const change = { ...EMPTY_CHANGE, rows: [judgement.row], attention: [judgement.attention], atMs };
      return { events: [], complete: () => ({ change, outcome: { type: "conflict" } }) };
    }
    return {
      events: [recordedEvent(posting, judgement.unsolicited, atMs)],
      complete: async ({ effects }) => {
        const own = effects.find((effect) => effect.type === "finished" && effect.params.uuid === uuid);
        const before = stored?.record.life ?? null;
        const life = own?.type === "finished" ? lifeOf(own.params) : lateLife(before, atMs);
        const record = withResult(stored?.record ?? null, posting, judgement.result, life);
        const ended = await endings(actor, effects, uuid);
        const target = await cancelledTarget(actor, record, ended.commands, atMs);
        return {
          change: {
            ...ended,
            commands: [...ended.commands, { record, version: stored?.version ?? 0 }, ...(target === null ? [] : [target])],
            rows: [...ended.rows, ...rowsOf(record), ...(target === null ? [] : rowsOf(target.record))],
            attention: [...ended.attention, ...attentionOf(record, before, atMs)],
            settled: before?.state === "unknown" ? [{ kind: "unknown", terminalId: actor.terminalId, uuid }] : [],
            atMs,
          },
          outcome: { type: "recorded" },
        };
      },
    };
  }

  /** A CANCEL that was answered OK after its target had already been shown as unknown. */
  async function cancelledTarget(
    actor: Actor,
    record: CommandRecord,
    ended: readonly Stored<CommandRecord>[],
    atMs: number,
  ): Promise<Stored<CommandRecord> | null> {
    const cancels = record.command?.cancels;
    if (cancels === undefined || record.result?.transaction.status !== "OK") return null;
    if (ended.some((stored) => stored.record.uuid === cancels)) return null;
    return cancelledAfterUnknown(await actors.command(actor, cancels), atMs);
  }

  async function cancel(actor: Actor, uuid: string, cancelUuid: string): Promise<CancelOutcome> {
    const stored = await actors.command(actor, uuid);
    if (stored === null || stored.record.terminalId !== actor.terminalId || stored.record.command === null) return { type: "not_found" };
    if (stored.record.life !== null) return { type: "too_late", state: stored.record.life.state };
    const asked = [...actor.context.queue, ...actor.context.sent].find((entry) => entry.cancels === uuid);
    if (asked !== undefined) return { type: "requested", cancelUuid: asked.uuid };
    if (stored.record.command.kind === "cancel") return { type: "too_late", state: viewOf(stored.record, actor.context).state };
    const atMs = clock.nowMs();
    const command = buildCancel(stored.record, cancelUuid, { acceptedAtMs: atMs, sender: stored.record.command.sender });
    const claim: CommandRecord = {
      schema: 1,
      revision: 0,
      uuid: cancelUuid,
      terminalId: actor.terminalId,
      command,
      life: null,
      result: null,
    };
    const applied = await actors.apply(actor, () => ({
      events: [{ type: "cancel.requested", atMs, uuid, cancel: entryOf(command) }],
      complete: async ({ effects }) => {
        const queued = effects.some((effect) => effect.type === "cancelQueued");
        const full = effects.some((effect) => effect.type === "refusedFull");
        return { change: full ? null : { ...(await endings(actor, effects, null)), claims: queued ? [claim] : [], atMs }, outcome: null };
      },
    }));
    if (applied.type === "claimed") throw new RelayError("conflict", "The uuid of the CANCEL command is taken");
    announce(actor, applied.effects);
    for (const effect of applied.effects) {
      if (effect.type === "refusedFull")
        throw new RelayError("queue_full", "Too many commands wait for this terminal", { retryAfterSeconds: 1 });
      if (effect.type === "finished" && effect.params.uuid === uuid) {
        return effect.params.state === "cancelled" ? { type: "cancelled" } : { type: "too_late", state: effect.params.state };
      }
      if (effect.type === "cancelQueued") {
        await push(actor);
        return { type: "requested", cancelUuid };
      }
    }
    throw new Error(`cancel of ${uuid} changed nothing`);
  }

  /** Reads a view until it is settled or the time is up. */
  async function waitFor(terminalId: string, waitMs: number, read: () => Promise<CommandView | null>): Promise<CommandView | null> {
    const deadlineAt = clock.monotonicMs() + waitMs;
    for (;;) {
      // The waiter is registered before the read, so that a result stored in between is not missed.
      const changed = waitMs > 0 ? waiters.next(terminalId, deadlineAt) : null;
      const view = await read();
      if (changed === null || (view !== null && isSettled(view))) return view;
      if (!(await changed)) return view;
    }
  }

  function deadlinesPassed(terminalId: string): void {
    background(terminalId, "deadline.passed", async (actor) => {
      await settle(actor, [{ type: "deadline.passed", atMs: clock.nowMs() }]);
      await push(actor);
    });
  }

  async function flush(): Promise<void> {
    while (flushing !== null) await flushing;
    const records = table.takeDirty(PRESENCE_BATCH_MAX);
    if (records.length === 0) return;
    flushing = presences.save(records).finally(() => {
      flushing = null;
    });
    await flushing;
  }

  return {
    start: async () => {
      for (let after = ""; ; ) {
        const page = await store.pageTerminals(after, REARM_PAGE);
        for (const { record } of page) {
          after = record.terminalId;
          const outstanding = record.queue.length > 0 || record.sent.length > 0;
          if (outstanding && options.isHome(record.terminalId)) await actors.enter(record.terminalId, async () => {});
        }
        if (page.length < REARM_PAGE) return;
      }
    },
    tick: () => {
      for (const terminalId of wheel.due(clock.nowMs())) deadlinesPassed(terminalId);
      waiters.tick();
      if (clock.monotonicMs() - flushedAt < PRESENCE_FLUSH_MS || flushing !== null) return;
      flushedAt = clock.monotonicMs();
      flush().catch((error: unknown) => options.failed("presence", error));
    },
    flush,
    accept: (command) => actors.enter(command.terminalId, (actor) => accept(actor, command)),
    poll: (terminalId, device) => {
      table.polled(terminalId, device);
      return actors.enter(terminalId, poll);
    },
    polled: (terminalId, device) => table.polled(terminalId, device),
    recordResult: (posting) => actors.enter(posting.terminalId, (actor) => recordResult(actor, posting)),
    cancel: ({ terminalId, uuid, cancelUuid }) => actors.enter(terminalId, (actor) => cancel(actor, uuid, cancelUuid)),
    command: (terminalId, uuid, waitMs) => waitFor(terminalId, waitMs, () => actors.enter(terminalId, (actor) => currentView(actor, uuid))),
    latest: (terminalId, sender, waitMs) =>
      waitFor(terminalId, waitMs, () =>
        actors.enter(terminalId, async (actor) => {
          const entry = sender === null ? actor.context.latest[0] : actor.context.latest.find((latest) => latest.sender === sender);
          return entry === undefined ? null : currentView(actor, entry.uuid);
        }),
      ),
    view: async (terminalId) => {
      const stored = table.knows(terminalId) ? null : await presences.load(terminalId);
      const { connection, device } = table.view(terminalId, stored);
      const context = await actors.enter(terminalId, async (actor) => actor.context);
      const server = connection.connected ? { server: options.nodeId } : {};
      return { terminalId, ...connection, ...server, device, queued: context.queue.length, sent: context.sent.length };
    },
    disconnect: (terminalId) => table.disconnect(terminalId),
    open: (session, address) => {
      if (!table.open(session, address)) return;
      background(session.terminalId, "session.open", push);
    },
    close: (terminalId, sessionId) => {
      table.close(terminalId, sessionId);
      loseSession(terminalId, sessionId);
    },
    active: (terminalId, sessionId) => {
      if (table.active(terminalId, sessionId)) background(terminalId, "session.active", push);
    },
    acknowledge: (terminalId, sessionId, uuids) =>
      background(terminalId, "acknowledge", (actor) =>
        settle(
          actor,
          uuids.map((uuid) => ({ type: "command.acknowledged", atMs: clock.nowMs(), uuid, session: sessionId })),
        ),
      ),
    refuse: (terminalId, sessionId, uuids) =>
      background(terminalId, "refuse", async (actor) => {
        // From the last to the first, so that they stand in their old order at the head.
        const events = [...uuids].reverse();
        await settle(
          actor,
          events.map((uuid) => ({ type: "command.refused", atMs: clock.nowMs(), uuid, session: sessionId })),
        );
        await push(actor);
      }),
    counts: () => ({ actors: actors.count(), sessions: table.sessionCount(), waiters: waiters.count() }),
  };
}

function takingSession({ sessionId, acknowledges, redeliver }: LiveSession): TakingSession {
  return { id: sessionId, acknowledges, redeliver };
}

function entryOf({ uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels }: Command): NewEntry {
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels: cancels ?? null };
}

function lifeOf({ state, sentAtMs, atMs, channel, attempts }: Finished): CommandLife {
  return { state, sentAtMs, finishedAtMs: atMs, channel, attempts };
}

/** A result for a command that had ended already, or that never was. */
function lateLife(before: CommandLife | null, atMs: number): CommandLife {
  if (before === null) return { state: "done", sentAtMs: null, finishedAtMs: atMs, channel: null, attempts: 0 };
  return { ...before, state: "done", finishedAtMs: atMs };
}
