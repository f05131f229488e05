/**
 * Time that passes by itself, beside `Clock`, which only tells it: injected, so that a simulation moves both. A timer is never early; it is late
 * where the thread is busy. What `work` throws is nobody's to catch.
 */
export interface Timers {
  /** Calls `work` once, `ms` milliseconds from now. */
  set(ms: number, work: () => void): Timer;
  /** Calls `work` again and again, `ms` milliseconds apart. */
  every(ms: number, work: () => void): Timer;
  /**
   * Calls `work` once, when this turn of the event loop and all promises that are ready have ended: for work that is collected during a
   * turn.
   */
  soon(work: () => void): void;
}

export interface Timer {
  /** Ends it: `work` is not called any more. Does nothing where it has ended. */
  clear(): void;
}
