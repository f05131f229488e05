import type { RelayError } from "../../engine/kernel/errors.ts";
import type { HttpResponse } from "./uws.ts";

/** The most that uWebSockets reads at once: a buffer of this size can hold any chunk, so that buffers can be used again. */
const BUFFER_BYTES = 524_288;

/**
 * Buffers kept for the next chunks while the body arrives: as much as kernels have for a connection (32 MB at most, as they come), which uWebSockets delivers before
 * `pause` takes effect. Buffers that are not kept would be garbage that is collected late.
 */
const SPARES_MAX = 64;

/** Whom the transfer waits for while a body arrives. */
export type Awaited = "client" | "reader";

/**
 * A request body that is read as it arrives. While a chunk waits to be read the client is paused (`pause`), so that memory holds at most
 * what the kernel had for the connection, however long the body is. Buffers are used again: a chunk is valid until the next one is
 * requested.
 */
export class BodyStream {
  readonly #res: Pick<HttpResponse, "pause" | "resume">;
  readonly #progressed: (awaited: Awaited) => void;
  readonly #queue: Buffer[] = [];
  #spares: Buffer[] = [];
  #lent: Buffer | null = null;
  #paused = false;
  #ended = false;
  #failure: RelayError | null = null;
  #wake: (() => void) | null = null;

  /** `progressed` is called for each chunk that arrives or is requested, with the side that the transfer waits for from then on. */
  constructor(res: Pick<HttpResponse, "pause" | "resume">, progressed: (awaited: Awaited) => void) {
    this.#res = res;
    this.#progressed = progressed;
  }

  /** True after the last byte has arrived. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Takes a chunk from `onData`; it is copied, being valid only during the call. */
  push(chunk: ArrayBuffer, isLast: boolean): void {
    this.#progressed("reader");
    if (chunk.byteLength > 0) this.#keep(new Uint8Array(chunk));
    this.#ended = isLast;
    if (isLast) this.#resume();
    else if (!this.#paused) {
      this.#paused = true;
      this.#res.pause();
    }
    this.#awake();
  }

  /** No more data will arrive, and the response may be closed: the reader gets the error. */
  fail(error: RelayError): void {
    this.#failure ??= error;
    this.#queue.length = 0;
    this.#awake();
  }

  /** As `fail`, while the response is still open: what comes from now on is for nobody, and is not held back. */
  refuse(error: RelayError): void {
    this.fail(error);
    this.#resume();
  }

  /** The next chunk, null after the last. The previous one must no longer be used. One reader only. */
  async next(): Promise<Buffer | null> {
    this.#takeBack();
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      const chunk = this.#queue.shift();
      if (chunk !== undefined) {
        this.#progressed("reader");
        this.#lent = chunk;
        return chunk;
      }
      if (this.#ended) return null;
      this.#resume();
      this.#progressed("client");
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Also after the last chunk, which may come while the connection is paused: its next request would never be read. */
  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#res.resume();
  }

  /** Behind the last one, if it has room: many small chunks in a buffer each would take a multiple of what they hold. */
  #keep(bytes: Uint8Array): void {
    const last = this.#queue.at(-1);
    if (last === undefined || last.length + bytes.length > last.buffer.byteLength) {
      this.#queue.push(this.#copy(bytes));
      return;
    }
    const both = Buffer.from(last.buffer, 0, last.length + bytes.length);
    both.set(bytes, last.length);
    this.#queue[this.#queue.length - 1] = both;
  }

  #copy(bytes: Uint8Array): Buffer {
    const { length } = bytes;
    const index = this.#spares.findIndex((spare) => spare.byteLength >= length);
    const [spare = Buffer.allocUnsafeSlow(Math.max(length, BUFFER_BYTES))] = index === -1 ? [] : this.#spares.splice(index, 1);
    spare.set(bytes);
    return spare.subarray(0, length);
  }

  #takeBack(): void {
    if (this.#lent === null) return;
    this.#spares = [Buffer.from(this.#lent.buffer), ...this.#spares].slice(0, SPARES_MAX);
    this.#lent = null;
  }

  #awake(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }
}
