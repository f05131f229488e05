/** Time as the engine sees it; injected, so that tests move it. */
export interface Clock {
  /** Wall time, milliseconds since the epoch, UTC: for what is stored. */
  nowMs(): number;
  /** Milliseconds that never go back: for what is running (waits, freshness, rate limits). */
  monotonicMs(): number;
}
