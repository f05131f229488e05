/** Provides the time to the engine. It is injected, so that tests can set it. */
export interface Clock {
  /** Wall time in milliseconds since the epoch, UTC, for stored times. */
  nowMs(): number;
  /** Milliseconds that never decrease, for durations such as waits and rate limits. */
  monotonicMs(): number;
}
