import type { Address } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { POLL_MARGIN_MS } from "../kernel/limits.ts";
import type { Command } from "../payments/command.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { DeviceInfo } from "../sessions/presence.ts";
import { createPresenceFlush } from "../sessions/presence-flush.ts";
import type { PresenceStore } from "../sessions/presence-store.ts";
import type { LiveSession, PresenceTable } from "../sessions/presence-table.ts";
import type { ToldSession } from "../sessions/terminal-sessions.ts";
import { createAcceptCommand } from "./accept-command.ts";
import { createActors } from "./actors.ts";
import { createCancelCommand } from "./cancel-command.ts";
import { createDeadlines } from "./deadlines.ts";
import { createDelivery, type PushedWhen } from "./deliver-command.ts";
import type { Finished } from "./events.ts";
import { createLookups } from "./lookups.ts";
import type { MembersView } from "./members-view.ts";
import { isHeld } from "./rules.ts";
import { createSteps } from "./steps.ts";
import { createStoreResult } from "./store-result.ts";
import type { Outstanding, TerminalStore } from "./terminal-store.ts";
import type { AcceptOutcome, CancelOutcome, CommandView, ResultOutcome, ResultPosting, TakenCommand, TerminalView } from "./terminals.ts";
import { createWaiters } from "./waiters.ts";
import type { WaitingCounters } from "./waiting-counters.ts";

/** Whoever asks whether a terminal is there waits no longer; less than a home may take to answer. */
const SESSIONS_WAIT_MS = 1_000;

export interface TerminalHomeOptions {
  nodeId: string;
  /** The node that a shard belongs to, by the name that is shown. */
  nodeOf(address: Address): string;
  store: TerminalStore;
  presences: PresenceStore;
  table: PresenceTable;
  waiting: WaitingCounters;
  clock: Clock;
  /** True for the terminals whose home this is. */
  isHome(terminalId: string): boolean;
  /** False while this node may have been away without knowing it yet: what it knows of sessions is old then, and nobody waits for its answers. */
  isMember(): boolean;
  /** True once all shards have told this home of their sessions, since it became one or forgot them. */
  sessionsComplete(): boolean;
  members: MembersView;
  /** Puts a command to a session, wherever its socket is; false only when it was certainly not written. */
  deliver(session: LiveSession, uuid: string, text: string): Promise<boolean>;
  /** Other nodes write the same store, and may take themselves for the home. False, where absent. */
  isStoreShared?: boolean;
  /** Something went wrong that no caller waits for; for the log. */
  failed(what: string, error: unknown): void;
  /** A command came to its end; for metrics. */
  finished(state: Finished["state"], kind: Finished["kind"]): void;
  /** See DeliveryOptions. */
  pushed?(when: PushedWhen, afterMs: number): void;
  /** The merchant that is administered for a terminal; null for none. */
  merchantOf?(terminalId: string): string | null;
  /** The merchant whose its payments are: that one, where there is such a merchant; null for none. */
  shopOf?(terminalId: string): string | null;
  /** The currency that is configured for a terminal; null for none. */
  currencyOf?(terminalId: string): string | null;
  /** A result was stored that was not there before; for counts. */
  recorded?(transaction: Transaction): void;
}

/** The home of terminals: carries out, one at a time for each terminal, everything that concerns its actor and presence. */
export interface TerminalHome {
  /** Loads a terminal with outstanding commands, which arms its deadlines and hands out what waits. */
  rearm(terminalId: string): Promise<void>;
  /** Sees to a terminal of which the index says that something waits, where nothing in memory agrees. */
  lookAt(outstanding: Outstanding): void;
  /** Another shard executed a step as this home's fallback: what is in memory is loaded again, and those who wait look again. */
  refresh(terminalId: string): void;
  /** All shards have told of their sessions: others than those are gone. */
  sessionsKnown(): void;
  /** The store has lost some of its history: nothing in memory can be relied on. */
  refreshAll(): void;
  /** Executes a step of another home as its fallback, and keeps nothing of it in memory. */
  executeAsFallback<T>(terminalId: string, work: () => Promise<T>): Promise<T>;
  /** Unloads every terminal that `leaves` names: another shard is its home now. */
  release(leaves: (terminalId: string) => boolean): Promise<void>;
  /** These shards are gone, and the sockets that they held: nothing is put to their sessions any more. */
  leave(addresses: readonly Address[]): void;
  /** Fires deadlines and stores presence; called by the owner every 50 ms or so. */
  tick(): void;
  /** Stores what is known of presence. */
  flush(): Promise<void>;
  accept(command: Command): Promise<AcceptOutcome>;
  /** Rejects with RelayError `unavailable` what cannot be answered by `answerByMs`: it is not taken, or goes back. */
  poll(terminalId: string, device: DeviceInfo, answerByMs: number): Promise<TakenCommand | null>;
  notHandedOut(terminalId: string, taken: Pick<TakenCommand, "uuid" | "sentAtMs">): void;
  /** A poll that was answered elsewhere, `agoMs` ago. */
  polled(terminalId: string, device: DeviceInfo, agoMs?: number): void;
  recordResult(posting: ResultPosting): Promise<ResultOutcome>;
  cancel(request: { terminalId: string; uuid: string; cancelUuid: string }): Promise<CancelOutcome>;
  command(terminalId: string, uuid: string, waitMs: number, gone?: AbortSignal): Promise<CommandView | null>;
  latest(terminalId: string, sender: string | null, waitMs: number, gone?: AbortSignal): Promise<CommandView | null>;
  view(terminalId: string): Promise<TerminalView>;
  /** The same, once it is certain who is there, or a second later. */
  connection(terminalId: string): Promise<TerminalView>;
  disconnect(terminalId: string): void;
  /** Forgets who was there and is not now; resolves when nothing of it is on its way to the store any more. */
  forgetPresence(): Promise<void>;
  open(session: ToldSession, address: Address): void;
  close(terminalId: string, sessionId: string): void;
  active(terminalId: string, sessionId: string, agoMs?: number): void;
  acknowledge(terminalId: string, sessionId: string, uuids: readonly string[]): void;
  refuse(terminalId: string, sessionId: string, uuids: readonly string[]): void;
  counts(): { actors: number; sessions: number; waiters: number; queued: number; sent: number };
}

export function createTerminalHome(options: TerminalHomeOptions): TerminalHome {
  const { clock, store, table, waiting, presences, failed, finished } = options;
  const { merchantOf = () => null, shopOf = () => null, currencyOf = () => null } = options;
  const waiters = createWaiters(clock);
  const actors = createActors({
    store,
    waiting,
    clock,
    ...(options.isStoreShared === undefined ? {} : { isShared: options.isStoreShared }),
    loaded: (actor) => delivery.loaded(actor),
    inDoubt: (terminalId) => deadlines.retry(terminalId),
  });
  const deadlines = createDeadlines({
    actors,
    clock,
    failed,
    passed: (terminalId) => actors.enqueueInternal(terminalId, delivery.catchUp),
  });
  const steps = createSteps({ actors, store, waiters, clock, failed, finished, retry: deadlines.retry });
  const { isHome, isMember, sessionsComplete, members, deliver: write } = options;
  const { pushed = () => {} } = options;
  const delivery = createDelivery({
    ...{ actors, steps, table, clock, failed, isHome, isMember, sessionsComplete, members, write, pushed },
    retry: deadlines.retry,
  });
  const accept = createAcceptCommand({ actors, steps, delivery, store, clock, shopOf });
  const storeResult = createStoreResult({
    actors,
    steps,
    delivery,
    waiters,
    clock,
    administeredOf: (terminalId) => ({
      merchantId: merchantOf(terminalId),
      shop: shopOf(terminalId),
      currency: currencyOf(terminalId),
    }),
    recorded: options.recorded ?? (() => {}),
  });
  const cancel = createCancelCommand({ actors, steps, delivery, clock });
  const lookups = createLookups({ actors, waiters, clock });
  const presence = createPresenceFlush({ table, presences, clock, failed });

  /** Most terminals that come have nothing waiting, nor anything held, which is in memory where it is: then nothing is read for them. */
  function pushWaiting(terminalId: string, what: string): void {
    if (waiting.mayWait(terminalId) || actors.peek(terminalId)?.sent.some(isHeld) === true)
      steps.enqueueInternal(terminalId, what, delivery.push);
  }

  /** A new home is told of the sessions that there are within moments: until then a terminal that is there must not be shown as gone. */
  async function heardOf(terminalId: string): Promise<void> {
    const deadlineAt = clock.monotonicMs() + SESSIONS_WAIT_MS;
    while (!sessionsComplete() && !table.view(terminalId, null).connection.connected) {
      if (!(await waiters.next(terminalId, deadlineAt))) return;
    }
  }

  async function view(terminalId: string): Promise<TerminalView> {
    const stored = table.knows(terminalId) ? null : await presences.load(terminalId);
    const { queue, sent } = await actors.enqueue(terminalId, (actor) => actor.context);
    const { connection, device } = table.view(terminalId, stored);
    const holder = connection.connectionType === "WEBSOCKET" ? table.pick(terminalId, () => true) : null;
    const server = connection.connected ? { server: holder === null ? options.nodeId : options.nodeOf(holder.address) } : {};
    return { terminalId, ...connection, ...server, device, queued: queue.length, sent: sent.length };
  }

  /** The one thing that is told of a terminal's presence with a command. It must not fail what is accepted: who cannot be looked up counts as seen. */
  function wasNeverSeen(terminalId: string): Promise<boolean> {
    return presences.load(terminalId).then(
      (stored) => stored === null && !table.knows(terminalId),
      () => false,
    );
  }

  async function acceptForUnknown(command: Command): Promise<AcceptOutcome> {
    const [outcome, neverSeen] = await Promise.all([acceptInTurn(command), wasNeverSeen(command.terminalId)]);
    return neverSeen && outcome.type === "accepted" && outcome.state === "queued" ? { ...outcome, neverSeen } : outcome;
  }

  function acceptInTurn(command: Command): Promise<AcceptOutcome> {
    return actors.enqueue(command.terminalId, (actor) => accept(actor, command));
  }

  return {
    rearm: (terminalId) => actors.enqueueInternal(terminalId, () => {}),
    lookAt: ({ terminalId, waits }) => {
      const context = actors.peek(terminalId);
      if (context !== null && (!waits || context.queue.length > 0)) return;
      actors.refresh(terminalId);
      steps.enqueueInternal(terminalId, "outstanding", delivery.push);
    },
    refresh: (terminalId) => {
      actors.refresh(terminalId);
      steps.enqueueInternal(terminalId, "work", async (actor) => {
        waiters.wake(terminalId);
        await delivery.push(actor);
      });
    },
    sessionsKnown: delivery.sessionsKnown,
    refreshAll: actors.refreshAll,
    executeAsFallback: async (terminalId, work) => {
      actors.refresh(terminalId);
      try {
        return await work();
      } finally {
        actors.release((candidate) => candidate === terminalId);
      }
    },
    release: async (leaves) => {
      actors.release(leaves);
      await presence.flush().catch((error: unknown) => failed("presence", error));
      table.release(leaves);
    },
    leave: (addresses) => {
      for (const { terminalId, sessionId } of table.closeAt(addresses)) delivery.loseSession(terminalId, sessionId);
    },
    tick: () => {
      deadlines.tick();
      waiters.tick();
      presence.tick();
    },
    flush: presence.flush,
    accept: (command) => (table.knows(command.terminalId) ? acceptInTurn(command) : acceptForUnknown(command)),
    poll: (terminalId, device, answerByMs) => {
      table.polled(terminalId, device, 0);
      return actors.enqueue(terminalId, (actor) => {
        // Who waited so long for its turn has most likely gone, and what it took would be lost.
        if (clock.nowMs() < answerByMs - POLL_MARGIN_MS) return delivery.poll(actor, answerByMs);
        throw new RelayError("unavailable", "The store takes too long; retry shortly", { retryAfterSeconds: 1 });
      });
    },
    notHandedOut: delivery.notHandedOut,
    polled: (terminalId, device, agoMs = 0) => table.polled(terminalId, device, agoMs),
    recordResult: (posting) => actors.enqueue(posting.terminalId, (actor) => storeResult(actor, posting)),
    cancel: ({ terminalId, uuid, cancelUuid }) => actors.enqueue(terminalId, (actor) => cancel(actor, uuid, cancelUuid)),
    command: lookups.command,
    latest: lookups.latest,
    view,
    connection: async (terminalId) => {
      await heardOf(terminalId);
      return view(terminalId);
    },
    disconnect: (terminalId) => table.disconnect(terminalId),
    forgetPresence: async () => {
      table.forget();
      await presence.settled();
    },
    open: (session, address) => {
      if (!table.open(session, address)) return;
      waiters.wake(session.terminalId);
      pushWaiting(session.terminalId, "session.open");
    },
    close: (terminalId, sessionId) => {
      table.close(terminalId, sessionId);
      delivery.loseSession(terminalId, sessionId);
    },
    active: (terminalId, sessionId, agoMs = 0) => {
      if (table.active(terminalId, sessionId, agoMs)) pushWaiting(terminalId, "session.active");
    },
    acknowledge: (terminalId, sessionId, uuids) => {
      const atMs = clock.nowMs();
      steps.enqueueInternal(terminalId, "acknowledge", (actor) =>
        steps.settle(actor, () => uuids.map((uuid) => ({ type: "command.acknowledged", atMs, uuid, session: sessionId }))),
      );
    },
    refuse: (terminalId, sessionId, uuids) => {
      // From the last to the first, so that they stand in their old order at the head.
      const refused = [...uuids].reverse();
      steps.enqueueInternal(terminalId, "refuse", async (actor) => {
        const atMs = clock.nowMs();
        await steps.settle(actor, () => refused.map((uuid) => ({ type: "command.refused", atMs, uuid, session: sessionId })));
        await delivery.push(actor);
      });
    },
    counts: () => ({ actors: actors.count(), sessions: table.sessionCount(), waiters: waiters.count(), ...actors.outstanding() }),
  };
}
