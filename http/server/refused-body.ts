/** So much more than its endpoint takes is read of a body that is refused for its length. */
export const REFUSED_BYTES_MAX = 16_777_216;

/** A client that sends nothing more of it for so long is answered. */
export const REFUSED_SILENCE_MS = 1_000;

/**
 * What still comes of a body that is refused for its length. It is read and thrown away before the answer: a client whose connection is closed while it is
 * writing loses the answer, and reports a broken pipe instead of 413.
 */
export class RefusedBody {
  #left = REFUSED_BYTES_MAX;
  #over = false;
  readonly #tells: ((isWhole: boolean) => void)[] = [];

  get isOver(): boolean {
    return this.#over;
  }

  /** Whether the answer is ready and waits for the body. */
  get isAwaited(): boolean {
    return this.#tells.length > 0;
  }

  take(chunk: ArrayBuffer, isLast: boolean): void {
    this.#left -= chunk.byteLength;
    if (isLast) this.#end(true);
    else if (this.#left < 0) this.#end(false);
  }

  /** Nothing more is waited for. */
  giveUp(): void {
    this.#end(false);
  }

  /** Calls `tell`, in the order of the calls, when it is over; not `isWhole`: something may still come, and the connection has to be closed. */
  whenOver(tell: (isWhole: boolean) => void): void {
    this.#tells.push(tell);
  }

  #end(isWhole: boolean): void {
    if (this.#over) return;
    this.#over = true;
    for (const tell of this.#tells) tell(isWhole);
  }
}
