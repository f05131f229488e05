/** Time as the engine sees it; injected, so that tests move it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC: for stored times. */
  nowMs(): number;
  /** Milliseconds that never go back: for durations (waits, freshness, rate limits). */
  monotonicMs(): number;
}
