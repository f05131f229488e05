/** A request that waits for its body or for its handler. */
export interface Waiting {
  /** When it is to be given up, on the server's monotonic clock. */
  deadlineAtMs: number;
  /** For `Pending` only: its position in the list; -1 if it is not in the list. */
  place: number;
  /** Called once when the deadline has passed. */
  expire(): void;
}

/**
 * The requests under way. Deadlines are looked at a few times a second in one sweep: a timer a request would cost more than
 * the rest of its bookkeeping. (Each knows its place in a list. In a Set that grows and shrinks the tables it leaves behind, which are old, keep the
 * requests of the moment from the young collections: more than half of all requests then lived until the next full one.)
 */
export class Pending {
  readonly #waiting: Waiting[] = [];
  readonly #timer: NodeJS.Timeout;
  #whenEmpty: (() => void)[] = [];

  constructor(monotonicMs: () => number, sweepIntervalMs: number) {
    this.#timer = setInterval(() => this.sweep(monotonicMs()), sweepIntervalMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#waiting.length;
  }

  add(request: Waiting): void {
    if (request.place !== -1) return;
    request.place = this.#waiting.push(request) - 1;
  }

  delete(request: Waiting): void {
    const { place } = request;
    if (place === -1) return;
    request.place = -1;
    // The last one takes its place.
    const last = this.#waiting.pop();
    if (last !== undefined && last !== request) {
      this.#waiting[place] = last;
      last.place = place;
    }
    if (this.#waiting.length > 0 || this.#whenEmpty.length === 0) return;
    const callbacks = this.#whenEmpty;
    this.#whenEmpty = [];
    for (const callback of callbacks) callback();
  }

  /** Resolves when nothing is under way. */
  empty(): Promise<void> {
    if (this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Expires what is overdue. */
  sweep(nowMs: number): void {
    // From the end: one that expires leaves, and its place goes to one that was looked at.
    for (let place = this.#waiting.length - 1; place >= 0; place -= 1) {
      const request = this.#waiting[place];
      if (request !== undefined && request.deadlineAtMs <= nowMs) request.expire();
    }
  }
}
