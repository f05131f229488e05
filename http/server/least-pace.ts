/** The least that a client has to send of an upload, or to take of a download, in a second on average. */
export interface PaceBounds {
  /** A slow line of a shop: a file of 10 MB in twenty minutes. */
  uploadBytesPerSecond: number;
  /** Terminals fetch their apps over GPRS. */
  downloadBytesPerSecond: number;
  /** For how long it may be slower, or pause. */
  graceMs: number;
}

/**
 * Says until when a transfer may wait for its client. Waiting uses the grace up, and each byte that was moved earns some of it back, so that a client that moves a byte
 * now and then is not waited for much longer than one that moves none. A store or a query that is slow costs the client nothing.
 */
export class LeastPace {
  readonly #msPerByte: number;
  readonly #graceMs: number;
  readonly #monotonicMs: () => number;
  #leftMs: number;
  #waitsSinceMs: number | null = null;

  constructor(bytesPerSecond: number, graceMs: number, monotonicMs: () => number) {
    this.#msPerByte = 1_000 / bytesPerSecond;
    this.#graceMs = graceMs;
    this.#leftMs = graceMs;
    this.#monotonicMs = monotonicMs;
  }

  /** The client is waited for; answers with the end of its time. */
  awaitClient(): number {
    this.#waitsSinceMs ??= this.#monotonicMs();
    return this.#waitsSinceMs + this.#leftMs;
  }

  /** The client sent or took this much, and is not waited for any more. */
  moved(bytes: number): void {
    const waitedMs = this.#waitsSinceMs === null ? 0 : this.#monotonicMs() - this.#waitsSinceMs;
    this.#waitsSinceMs = null;
    this.#leftMs = Math.min(this.#graceMs, this.#leftMs - waitedMs + bytes * this.#msPerByte);
  }
}
