import process from "node:process";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import type { Random } from "../random.ts";
import type { SimProcess } from "./sim-process.ts";

/** Before a history counts as one that never ends. */
const EVENTS_MAX = 400_000;

/** Something that is due at a time. (A class: what tsx makes of an arrow function in an object costs as much as the event itself.) */
class Event implements Timer {
  readonly atMs: number;
  /** Orders what is due at the same time; drawn, so that every order comes about. */
  readonly tie: number;
  /** Makes the order total. */
  readonly number: number;
  readonly owner: SimProcess | null;
  work: (() => void) | null;

  constructor(atMs: number, tie: number, number: number, owner: SimProcess | null, work: () => void) {
    this.atMs = atMs;
    this.tie = tie;
    this.number = number;
    this.owner = owner;
    this.work = work;
  }

  clear(): void {
    this.work = null;
  }
}

// The loop's own: while a history runs, nothing may call for time but through the ports.
const { nextTick } = process;

/**
 * Simulated time: one heap of events, ordered by time and then by the seed. After each event all promises that are ready have their turn, so that
 * what the engine does in between depends on nothing but the seed.
 */
export class Scheduler {
  /** True time, milliseconds since the epoch; the clocks of machines differ from it. */
  nowMs: number;
  /** Intervals are at least this long: a thread that is busy is late, and a quiet time passes faster. */
  slowest = 0;
  events = 0;
  readonly #heap: Event[] = [];
  readonly #random: Random;
  #numbers = 0;

  constructor(startMs: number, random: Random) {
    this.nowMs = startMs;
    this.#random = random;
  }

  /** Calls `work` in `ms` milliseconds, unless its process has died by then; a process that is stopped does it when it wakes. */
  after(ms: number, owner: SimProcess | null, work: () => void): Timer {
    const event = new Event(this.nowMs + Math.max(0, Math.ceil(ms)), this.#random.next(), this.#numbers++, owner, work);
    this.#push(event);
    return event;
  }

  /** The timers of a process, which take `leastMs` at least. */
  timersOf(owner: SimProcess, leastMs = 0): Timers {
    return {
      set: (ms, work) => this.after(Math.max(ms, leastMs), owner, work),
      every: (ms, work) => {
        let current: Timer;
        let ended = false;
        const again = (): void => {
          current = this.after(Math.max(ms, this.slowest), owner, () => {
            if (ended) return;
            again();
            work();
          });
        };
        again();
        return {
          clear: () => {
            ended = true;
            current.clear();
          },
        };
      },
      soon: (work) => void this.after(0, owner, work),
    };
  }

  /** Runs what is due up to this time; rejects with what an event throws. */
  run(untilMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = (): void => {
        try {
          if (!this.#next(untilMs)) {
            resolve();
            return;
          }
        } catch (error) {
          reject(error);
          return;
        }
        // Queued from a promise: the tick comes when no promise is ready any more.
        Promise.resolve().then(() => nextTick(step));
      };
      nextTick(step);
    });
  }

  /** Carries out the next event; false where none is due any more. */
  #next(untilMs: number): boolean {
    for (;;) {
      const event = this.#heap[0];
      if (event === undefined || event.atMs > untilMs) {
        this.nowMs = untilMs;
        return false;
      }
      this.#pop();
      this.nowMs = Math.max(this.nowMs, event.atMs);
      if (this.#carryOut(event)) return true;
    }
  }

  /** False where there was nothing to do. */
  #carryOut({ owner, work }: Event): boolean {
    if (work === null || owner?.state === "dead") return false;
    if (owner?.state === "stopped") {
      owner.backlog.push(work);
      return false;
    }
    this.events += 1;
    if (this.events > EVENTS_MAX) throw new Error(`more than ${EVENTS_MAX} events`);
    work();
    return true;
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap[parent];
      if (above === undefined || !isBefore(event, above)) break;
      heap[index] = above;
      index = parent;
    }
    heap[index] = event;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let index = 0;
    for (;;) {
      const left = heap[2 * index + 1];
      const right = heap[2 * index + 2];
      if (left === undefined) break;
      const least = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(least, last)) break;
      heap[index] = least;
      index = 2 * index + (least === right ? 2 : 1);
    }
    heap[index] = last;
  }
}

function isBefore(one: Event, other: Event): boolean {
  if (one.atMs !== other.atMs) return one.atMs < other.atMs;
  if (one.tie !== other.tie) return one.tie < other.tie;
  return one.number < other.number;
}
