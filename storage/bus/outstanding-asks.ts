import type { Address } from "../../engine/kernel/bus.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Timer, Timers } from "../../engine/kernel/timers.ts";

/** Deadlines are kept to this; one timer looks at all that fall into the same span. */
const SPAN_MS = 20;

export interface Ask {
  readonly id: number;
  readonly to: Address;
  readonly span: number;
  resolve(answer: unknown): void;
  reject(error: Error): void;
}

/**
 * Questions whose answers have not come. One timer serves all deadlines, and stands while nothing is asked: a timer an
 * ask would cost more than the ask.
 */
export class OutstandingAsks {
  readonly #clock: Clock;
  readonly #timers: Timers;
  readonly #onDeadline: (ask: Ask) => void;
  readonly #asks = new Map<number, Ask>();
  readonly #spans = new Map<number, Set<Ask>>();
  #timer: Timer | null = null;
  #nextId = 1;

  constructor(clock: Clock, timers: Timers, onDeadline: (ask: Ask) => void) {
    this.#clock = clock;
    this.#timers = timers;
    this.#onDeadline = onDeadline;
  }

  get size(): number {
    return this.#asks.size;
  }

  add(to: Address, timeoutMs: number, resolve: Ask["resolve"], reject: Ask["reject"]): number {
    const span = Math.ceil((this.#clock.monotonicMs() + timeoutMs) / SPAN_MS);
    const ask = { id: this.#nextId++, to, span, resolve, reject };
    this.#asks.set(ask.id, ask);
    const sharing = this.#spans.get(span);
    if (sharing === undefined) this.#spans.set(span, new Set([ask]));
    else sharing.add(ask);
    this.#timer ??= this.#timers.every(SPAN_MS, () => this.#tick());
    return ask.id;
  }

  /** The ask, which is no longer outstanding; undefined when it had ended before. */
  take(id: number): Ask | undefined {
    const ask = this.#asks.get(id);
    if (ask === undefined) return undefined;
    this.#asks.delete(id);
    const sharing = this.#spans.get(ask.span);
    sharing?.delete(ask);
    if (sharing?.size === 0) this.#spans.delete(ask.span);
    return ask;
  }

  /** Takes all asks, or those to one address. */
  takeAll(to?: Address): Ask[] {
    const taken = [...this.#asks.values()].filter((ask) => to === undefined || ask.to === to);
    for (const ask of taken) this.take(ask.id);
    if (this.#asks.size === 0) this.#rest();
    return taken;
  }

  #tick(): void {
    const now = this.#clock.monotonicMs() / SPAN_MS;
    // A deadline of 30 s makes 1,500 spans: looking at the number of each costs microseconds.
    for (const [span, asks] of this.#spans) {
      if (span > now) continue;
      for (const ask of [...asks]) {
        this.take(ask.id);
        this.#onDeadline(ask);
      }
    }
    if (this.#asks.size === 0) this.#rest();
  }

  #rest(): void {
    this.#timer?.clear();
    this.#timer = null;
  }
}
