import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { MAILBOX_MAX } from "../kernel/limits.ts";
import { createRoundRobin } from "../kernel/round-robin.ts";
import type { Stored } from "../kernel/stored.ts";
import { createTimerWheel } from "../kernel/timer-wheel.ts";
import type { Actor } from "./actor.ts";
import { createCommandCache } from "./command-cache.ts";
import type { TerminalContext } from "./events.ts";
import { nextDeadlineMs, stateOf, toRecord } from "./rules.ts";
import { afterHistoryLoss } from "./step-terminal.ts";
import type { CommandRecord } from "./terminal-record.ts";
import type { ChangeOutcome, LoadedTerminal, TerminalChange, TerminalStore } from "./terminal-store.ts";
import type { WaitingCounters } from "./waiting-counters.ts";

/** Actors kept in memory; beyond it idle ones go, those not used lately first, their records are stored. Outstanding commands keep one. */
const ACTORS_MAX = 200_000;

/** Actors looked at to find one that may go; those that may not are looked at again after all others. */
const EVICTION_LOOKS_MAX = 64;

/** Internal work (deadlines, lost sessions) has this much room beside that of callers. */
const INTERNAL_MAX = 256;

/** Losing the race for a record this often in a row means that something is wrong; the caller gets "unavailable". */
export const STALE_RETRIES_MAX = 8;

const IDLE: TerminalContext = { queue: [], sent: [], latest: [] };

const NONE: readonly never[] = [];

/** What a step stores beside the terminal's record. */
export type StepChange = Omit<TerminalChange, "terminalId" | "terminal" | "decidedBy">;

/**
 * The actors of one home. `enqueue` runs work on one actor at a time, in order, with a bound on what waits; `commit` stores what a step made of it
 * (steps.ts).
 */
export interface Actors {
  /** Rejects with RelayError `too_busy` when too much waits for this actor, and with whatever `work` throws. */
  enqueue<T>(terminalId: string, work: (actor: Actor) => Promise<T> | T): Promise<T>;
  /** The same for internal work, which no caller asked for: callers cannot crowd it out. */
  enqueueInternal<T>(terminalId: string, work: (actor: Actor) => Promise<T> | T): Promise<T>;
  /**
   * Stores a step, and sets the actor's context once that is done. `stale`: another version has moved on, so the actor has to be loaded again. Rejects with
   * RelayError `unavailable` where it is not known whether it was stored: then it is found out before the next work on the actor.
   */
  commit(actor: Actor, context: TerminalContext, change: StepChange): Promise<ChangeOutcome>;
  /** Loads the actor again, within the work on it. */
  reload(actor: Actor): Promise<void>;
  /** Loads the actor again where another home has moved on: for answers that nothing is stored for. Asks nobody where the store is this node's alone. */
  catchUp(actor: Actor): Promise<void>;
  /** The record of a command that is queued or sent, where it is at hand. */
  cachedCommand(actor: Actor, uuid: string): Stored<CommandRecord> | null;
  /** What a uuid is to this terminal (`TerminalStore.loadCommandAt`); a command of its own that has not ended is at hand from then on. */
  command(actor: Actor, uuid: string): Promise<Stored<CommandRecord> | null>;
  /** Arms the deadline that the actor wants next, after another one was armed in its place. */
  rearm(actor: Actor): void;
  /** Arms another deadline in the place of that which the terminal's actor wants next. */
  arm(terminalId: string, atMs: number): void;
  /** Terminals whose deadline has passed, each once. */
  due(nowMs: number): string[];
  /** The context as it was last stored, without waiting for its mailbox; null when it is not in memory. */
  peek(terminalId: string): TerminalContext | null;
  count(): number;
  /** Commands of the actors in memory that wait, and that await their results. All that are outstanding are in memory at their home. */
  outstanding(): { queued: number; sent: number };
  /** Actors in memory with commands that a redelivering session has not acknowledged. */
  withUnacknowledged(): Actor[];
  /** Unloads the actors that `leaves` names, once what is under way on them has ended; they are loaded again when they are needed. */
  release(leaves: (terminalId: string) => boolean): void;
  /** The stored record may be newer than the one in memory: it is loaded again before the next step. */
  refresh(terminalId: string): void;
  /** The same for all of them. */
  refreshAll(): void;
}

export interface ActorsOptions {
  store: TerminalStore;
  waiting: WaitingCounters;
  clock: Clock;
  /** Other nodes may write the same records. False, where absent. */
  isShared?: boolean;
  /** A record that was not in memory was loaded: what its sessions of an earlier life still hold can be given back. */
  loaded(actor: Actor): void;
  /** A commit failed; the truth has to be found out soon, even when nobody asks. */
  inDoubt(terminalId: string): void;
  actorsMax?: number;
}

/** Says whether a step left the stored part of the actor as it was. */
export function isSame(one: TerminalContext, other: TerminalContext): boolean {
  return one.queue === other.queue && one.sent === other.sent && one.latest === other.latest;
}

export function createActors(options: ActorsOptions): Actors {
  const { store, waiting, clock, isShared = false, loaded, inDoubt, actorsMax = ACTORS_MAX } = options;
  const actors = new Map<string, Actor>();
  const roundRobin = createRoundRobin(() => actors.values());
  const outstanding = { queued: 0, sent: 0 };

  const commandCache = createCommandCache();
  const wheel = createTimerWheel<Actor>();

  function actorOf(terminalId: string): Actor {
    const known = actors.get(terminalId);
    if (known !== undefined) return known;
    if (actors.size >= actorsMax) evict();
    const actor: Actor = {
      terminalId,
      context: IDLE,
      version: 0,
      readAt: Number.NEGATIVE_INFINITY,
      commands: NONE,
      loaded: false,
      historyLost: false,
      inDoubt: false,
      running: false,
      usedLately: false,
      mailbox: null,
      slot: null,
    };
    actors.set(terminalId, actor);
    return actor;
  }

  /** Second chance: an idle actor goes when it was not used since it was last looked at, else the first idle one does. */
  function evict(): void {
    let idle: Actor | null = null;
    for (let looks = 0; looks < EVICTION_LOOKS_MAX; looks += 1) {
      const actor = roundRobin.next();
      if (actor === undefined) break;
      const mayGo = !actor.running && !actor.inDoubt && actor.context.queue.length === 0 && actor.context.sent.length === 0;
      if (mayGo && !actor.usedLately) {
        actors.delete(actor.terminalId);
        return;
      }
      if (mayGo) idle ??= actor;
      actor.usedLately = false;
    }
    if (idle !== null) actors.delete(idle.terminalId);
  }

  function tally({ terminalId, context: before }: Actor, after: TerminalContext): void {
    waiting.add(terminalId, after.queue.length - before.queue.length);
    outstanding.queued += after.queue.length - before.queue.length;
    outstanding.sent += after.sent.length - before.sent.length;
  }

  function setContext(actor: Actor, context: TerminalContext, version: number): void {
    tally(actor, context);
    actor.context = context;
    actor.version = version;
    wheel.arm(actor, nextDeadlineMs(context));
  }

  async function load(actor: Actor): Promise<void> {
    const { terminalId } = actor;
    for (let tries = 0; tries < STALE_RETRIES_MAX; tries += 1) {
      const stored = await store.loadTerminal(terminalId);
      const read = stored === null ? IDLE : { queue: stored.record.queue, sent: stored.record.sent, latest: stored.record.latest };
      const context = stored?.historyLost === true ? afterHistoryLoss(read, clock.nowMs()) : read;
      const version = actor.inDoubt ? await fence(terminalId, context, stored) : (stored?.version ?? 0);
      if (version === null) continue;
      actor.inDoubt = false;
      // What was fenced is stored anew, as it is in memory now.
      actor.historyLost = stored?.historyLost === true && version === stored.version;
      actor.commands = NONE;
      actor.readAt = clock.monotonicMs();
      setContext(actor, context, version);
      actor.loaded = true;
      loaded(actor);
      return;
    }
    throw contended();
  }

  /**
   * Writes the record as it was read: a commit that failed here may still be on its way to the store, and after this one, which names
   * the same version, it can no longer happen. Null when it has: what was read was not the truth.
   */
  async function fence(terminalId: string, context: TerminalContext, stored: LoadedTerminal | null): Promise<number | null> {
    const fenced = await store.commit({
      terminalId,
      terminal: {
        record: toRecord(terminalId, context),
        version: stored?.version ?? 0,
        historyLost: stored?.historyLost === true,
        // The commit that failed may be the one that the index speaks of: it is written again, whatever it says.
        workBefore: stateOf(context) === "idle" ? "waiting" : "idle",
      },
      decidedBy: null,
      claims: [],
      commands: [],
      rows: [],
      attention: [],
      settled: [],
      atMs: clock.nowMs(),
    });
    return fenced.type === "committed" ? fenced.version : null;
  }

  /** Unloads an actor unless more is to be done on it; its work is no longer this home's. */
  function unload(actor: Actor): void {
    if (actor.inDoubt || actor.mailbox !== null) return;
    tally(actor, IDLE);
    wheel.arm(actor, null);
    actors.delete(actor.terminalId);
  }

  /** Carries out one piece of work, and then the next that waits. (With callbacks, as all of the mailbox: every request passes here.) */
  function run<T>(actor: Actor, work: (actor: Actor) => Promise<T> | T): Promise<T> {
    actor.running = true;
    const worked = actor.loaded ? begin(actor, work) : load(actor).then(() => work(actor));
    return worked.then(
      (result) => {
        ended(actor);
        return result;
      },
      (error: unknown) => {
        ended(actor);
        throw error;
      },
    );
  }

  function begin<T>(actor: Actor, work: (actor: Actor) => Promise<T> | T): Promise<T> {
    try {
      const worked = work(actor);
      return worked instanceof Promise ? worked : Promise.resolve(worked);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  function ended(actor: Actor): void {
    const next = actor.mailbox?.shift();
    if (actor.mailbox?.length === 0) actor.mailbox = null;
    if (next === undefined) actor.running = false;
    else next();
  }

  function post<T>(terminalId: string, room: number, work: (actor: Actor) => Promise<T> | T): Promise<T> {
    const actor = actorOf(terminalId);
    actor.usedLately = true;
    if (!actor.running) return run(actor, work);
    if (actor.mailbox !== null && actor.mailbox.length >= room) {
      return Promise.reject(
        new RelayError("too_busy", "Too many requests for this terminal at once; retry shortly", { retryAfterSeconds: 1 }),
      );
    }
    return new Promise((resolve, reject) => {
      actor.mailbox ??= [];
      actor.mailbox.push(() => void run(actor, work).then(resolve, reject));
    });
  }

  async function command(actor: Actor, uuid: string): Promise<Stored<CommandRecord> | null> {
    const known = commandCache.find(actor, uuid);
    if (known !== null) return known;
    const stored = await store.loadCommandAt(actor.terminalId, uuid);
    if (stored !== null && stored.record.life === null && stored.record.terminalId === actor.terminalId)
      commandCache.keep(actor, stored.record, stored.version);
    return stored;
  }

  /** Holds the records of outstanding commands, with the version that this commit gave them. */
  function remember(actor: Actor, change: StepChange, version: number): void {
    for (const record of change.claims) commandCache.keep(actor, record, version);
    for (const { record } of change.commands) {
      if (record.life === null) commandCache.keep(actor, record, version);
      else commandCache.drop(actor, record.uuid);
    }
  }

  async function commit(actor: Actor, context: TerminalContext, change: StepChange): Promise<ChangeOutcome> {
    const { terminalId, version, historyLost } = actor;
    const workBefore = stateOf(actor.context);
    const terminal = isSame(context, actor.context) ? null : { record: toRecord(terminalId, context), version, workBefore, historyLost };
    // A home that is no longer one may not know what was sent, or that it came to an end: what a step leaves as it is counts, too.
    const decidedBy = terminal === null ? { version, historyLost } : null;
    const { claims, commands, rows, attention, settled, atMs, withinMs } = change;
    let stored: ChangeOutcome;
    try {
      stored = await store.commit({ terminalId, terminal, decidedBy, claims, commands, rows, attention, settled, atMs, withinMs });
    } catch (error) {
      actor.loaded = false;
      actor.inDoubt = true;
      inDoubt(terminalId);
      throw error;
    }
    if (stored.type !== "committed") return stored;
    remember(actor, change, stored.version);
    if (terminal !== null) {
      setContext(actor, context, stored.version);
      actor.historyLost = false;
    }
    return stored;
  }

  async function reload(actor: Actor): Promise<void> {
    actor.loaded = false;
    await load(actor);
  }

  return {
    enqueue: (terminalId, work) => post(terminalId, MAILBOX_MAX, work),
    enqueueInternal: (terminalId, work) => post(terminalId, MAILBOX_MAX + INTERNAL_MAX, work),
    commit,
    reload,
    catchUp: async (actor) => {
      if (!isShared || ((await store.loadTerminal(actor.terminalId))?.version ?? 0) === actor.version) return;
      await reload(actor);
    },
    cachedCommand: commandCache.find,
    command,
    rearm: (actor) => wheel.arm(actor, nextDeadlineMs(actor.context)),
    arm: (terminalId, atMs) => wheel.arm(actorOf(terminalId), atMs),
    due: (nowMs) => wheel.due(nowMs).map(({ terminalId }) => terminalId),
    peek: (terminalId) => {
      const actor = actors.get(terminalId);
      return actor?.loaded === true ? actor.context : null;
    },
    count: () => actors.size,
    outstanding: () => outstanding,
    withUnacknowledged: () =>
      [...actors.values()].filter(({ loaded, context }) => loaded && context.sent.some(({ redeliverable }) => redeliverable)),
    release: (leaves) => {
      for (const actor of [...actors.values()]) {
        if (!leaves(actor.terminalId)) continue;
        if (actor.running) void post(actor.terminalId, Number.POSITIVE_INFINITY, unload).catch(() => {});
        else unload(actor);
      }
    },
    refresh: (terminalId) => {
      const actor = actors.get(terminalId);
      if (actor !== undefined) actor.loaded = false;
    },
    refreshAll: () => {
      for (const actor of actors.values()) actor.loaded = false;
    },
  };
}

export function contended(): RelayError {
  return new RelayError("unavailable", "Too many concurrent changes of this terminal; retry shortly", { retryAfterSeconds: 1 });
}
