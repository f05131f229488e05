/** A request that waits for its body or for its handler. */
export interface Waiting {
  /** When it is to be given up, on the server's monotonic clock. */
  deadlineAtMs: number;
  /** Called once when the deadline has passed. */
  expire(): void;
}

/**
 * The requests under way. Deadlines are looked at a few times a second in one sweep: a timer a request would cost more than
 * the rest of its bookkeeping.
 */
export class Pending {
  readonly #waiting = new Set<Waiting>();
  readonly #timer: NodeJS.Timeout;
  #whenEmpty: (() => void)[] = [];

  constructor(monotonicMs: () => number, sweepIntervalMs: number) {
    this.#timer = setInterval(() => this.#sweep(monotonicMs()), sweepIntervalMs);
    this.#timer.unref();
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(request: Waiting): void {
    this.#waiting.add(request);
  }

  delete(request: Waiting): void {
    if (!this.#waiting.delete(request) || this.#waiting.size > 0 || this.#whenEmpty.length === 0) return;
    const callbacks = this.#whenEmpty;
    this.#whenEmpty = [];
    for (const callback of callbacks) callback();
  }

  /** Resolves when nothing is under way. */
  empty(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenEmpty.push(resolve));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(nowMs: number): void {
    for (const request of this.#waiting) {
      if (request.deadlineAtMs <= nowMs) request.expire();
    }
  }
}
