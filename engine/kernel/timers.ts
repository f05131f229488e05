/**
 * Runs work when time passes, unlike `Clock`, which only reports the time. It is injected, so that
 * a simulation controls both. A timer is never early, but it is late if the thread is busy. `work`
 * must catch its own errors.
 */
export interface Timers {
  /** Calls `work` once, `ms` milliseconds from now. */
  set(ms: number, work: () => void): Timer;
  /** Calls `work` repeatedly, every `ms` milliseconds. */
  every(ms: number, work: () => void): Timer;
  /**
   * Calls `work` once, after this turn of the event loop and all promises that are ready. It is for
   * work that is collected during a turn.
   */
  soon(work: () => void): void;
}

export interface Timer {
  /** Ends the timer, after which `work` is not called. Does nothing if it has already ended. */
  clear(): void;
}
