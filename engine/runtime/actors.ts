import { nextDeadlineMs, type TerminalContext, type TerminalEffect, type TerminalEvent, toRecord } from "../actors/terminal/machine.ts";
import { RelayError } from "../domain/errors.ts";
import { MAILBOX_MAX } from "../domain/limits.ts";
import type { CommandRecord } from "../domain/terminal-record.ts";
import type { Stored, TerminalChange, TerminalStore } from "../ports/terminal-store.ts";
import { createTerminalStepper, type TerminalStep } from "./stepper.ts";
import type { TimerWheel } from "./timer-wheel.ts";
import type { WaitingCounters } from "./waiting-counters.ts";

/** Actors kept in memory; beyond it the longest unused idle ones go, their records are stored. */
const ACTORS_MAX = 200_000;

/** Losing the race for a record this often in a row means that something is wrong; the caller gets "unavailable". */
const STALE_RETRIES_MAX = 8;

/** A terminal actor as its home holds it: the stored context, its version, and what is read with it again and again. */
export interface Actor {
  readonly terminalId: string;
  context: TerminalContext;
  version: number;
  /** Records of the commands that are queued or sent; others are read when they are needed. */
  readonly commands: Map<string, Stored<CommandRecord>>;
  loaded: boolean;
  running: boolean;
  readonly mailbox: (() => Promise<void>)[];
}

/** What a step wants stored beside the terminal record, and what it found out. */
export interface StepPlan<T> {
  events: readonly TerminalEvent[];
  /** Asked once the events were stepped, with their effects; null stores nothing and ends the step. */
  complete(step: TerminalStep): Promise<Completion<T>> | Completion<T>;
}

export interface Completion<T> {
  /** Null: nothing of this step is stored. */
  change: Omit<TerminalChange, "terminalId" | "terminal"> | null;
  outcome: T;
}

export type Applied<T> = { type: "applied"; outcome: T; effects: readonly TerminalEffect[] } | { type: "claimed"; uuid: string };

/**
 * The actors of one home. `enter` runs work on one actor at a time, in order, with a bound on what waits; `apply` steps the machine and
 * stores the step, loading again and stepping again when another version has moved on.
 */
export interface Actors {
  enter<T>(terminalId: string, work: (actor: Actor) => Promise<T>): Promise<T>;
  /** `plan` is asked again, with the actor loaded again, when another version has moved on. */
  apply<T>(actor: Actor, plan: () => StepPlan<T> | Promise<StepPlan<T>>): Promise<Applied<T>>;
  command(actor: Actor, uuid: string): Promise<Stored<CommandRecord> | null>;
  count(): number;
}

export interface ActorsOptions {
  store: TerminalStore;
  wheel: TimerWheel;
  waiting: WaitingCounters;
  /** A record that was not in memory was loaded: what its sessions of an earlier life still hold can be given back. */
  loaded(actor: Actor): void;
}

export function createActors({ store, wheel, waiting, loaded }: ActorsOptions): Actors {
  const actors = new Map<string, Actor>();
  const step = createTerminalStepper();

  function actorOf(terminalId: string): Actor {
    const known = actors.get(terminalId);
    if (known !== undefined) return known;
    if (actors.size >= ACTORS_MAX) evict();
    const actor: Actor = {
      terminalId,
      context: { queue: [], sent: [], latest: [] },
      version: 0,
      commands: new Map(),
      loaded: false,
      running: false,
      mailbox: [],
    };
    actors.set(terminalId, actor);
    return actor;
  }

  function evict(): void {
    let looked = 0;
    for (const actor of actors.values()) {
      if (!actor.running && actor.context.queue.length === 0 && actor.context.sent.length === 0) {
        actors.delete(actor.terminalId);
        return;
      }
      looked += 1;
      if (looked >= 64) return;
    }
  }

  function adopt(actor: Actor, context: TerminalContext, version: number): void {
    waiting.add(actor.terminalId, context.queue.length - actor.context.queue.length);
    actor.context = context;
    actor.version = version;
    wheel.arm(actor.terminalId, nextDeadlineMs(context));
  }

  async function load(actor: Actor): Promise<void> {
    const stored = await store.loadTerminal(actor.terminalId);
    actor.commands.clear();
    if (stored === null) adopt(actor, { queue: [], sent: [], latest: [] }, 0);
    else adopt(actor, { queue: stored.record.queue, sent: stored.record.sent, latest: stored.record.latest }, stored.version);
    actor.loaded = true;
    loaded(actor);
  }

  async function run(actor: Actor): Promise<void> {
    actor.running = true;
    for (let job = actor.mailbox.shift(); job !== undefined; job = actor.mailbox.shift()) await job();
    actor.running = false;
  }

  async function command(actor: Actor, uuid: string): Promise<Stored<CommandRecord> | null> {
    return actor.commands.get(uuid) ?? (await store.loadCommand(uuid));
  }

  function stepAll(context: TerminalContext, events: readonly TerminalEvent[]): TerminalStep {
    const effects: TerminalEffect[] = [];
    let current = context;
    for (const event of events) {
      const next = step(current, event);
      current = next.context;
      effects.push(...next.effects);
    }
    return { context: current, effects };
  }

  /** Keeps the records of outstanding commands at hand, with the version that this commit gave them. */
  function remember(actor: Actor, change: Omit<TerminalChange, "terminalId" | "terminal">, version: number): void {
    for (const record of change.claims) actor.commands.set(record.uuid, { record, version });
    for (const { record } of change.commands) {
      if (record.life === null) actor.commands.set(record.uuid, { record, version });
      else actor.commands.delete(record.uuid);
    }
  }

  return {
    enter: (terminalId, work) =>
      new Promise((resolve, reject) => {
        const actor = actorOf(terminalId);
        if (actor.mailbox.length >= MAILBOX_MAX) {
          reject(new RelayError("too_busy", "Too many requests for this terminal at once", { retryAfterSeconds: 1 }));
          return;
        }
        actor.mailbox.push(async () => {
          try {
            if (!actor.loaded) await load(actor);
            resolve(await work(actor));
          } catch (error) {
            reject(error);
          }
        });
        if (!actor.running) void run(actor);
      }),
    apply: async (actor, plan) => {
      for (let tries = 0; tries < STALE_RETRIES_MAX; tries += 1) {
        const { events, complete } = await plan();
        const stepped = stepAll(actor.context, events);
        const { change, outcome } = await complete(stepped);
        if (change === null) return { type: "applied", outcome, effects: stepped.effects };
        const { context } = stepped;
        const same =
          context.queue === actor.context.queue && context.sent === actor.context.sent && context.latest === actor.context.latest;
        try {
          const stored = await store.commit({
            ...change,
            terminalId: actor.terminalId,
            terminal: same ? null : { record: toRecord(actor.terminalId, context), version: actor.version },
          });
          if (stored.type === "committed") {
            remember(actor, change, stored.version);
            if (!same) adopt(actor, context, stored.version);
            return { type: "applied", outcome, effects: stepped.effects };
          }
          if (stored.type === "claimed") return stored;
        } catch (error) {
          // Whether the commit happened is not known: the record is read again before the next step.
          actor.loaded = false;
          throw error;
        }
        await load(actor);
      }
      throw new RelayError("unavailable", "The terminal's record is contended, try again", { retryAfterSeconds: 1 });
    },
    command,
    count: () => actors.size,
  };
}
