/** One APDU: `class instr length data`. The length is one byte, or FF and two bytes **little-endian**. */
export interface Frame {
  /** Class and instruction as one number: 0x0601. */
  command: number;
  data: Uint8Array;
}

export const FRAME_DATA_BYTES_MAX = 0xffff;

/** What a peer did that ends the connection. `not_zvt`: the bytes are of another protocol. */
export type FrameViolation = "not_zvt" | "frame_too_large";

export interface FrameReaderOptions {
  /** A longer frame is a violation, before more than its head is kept. */
  dataBytesMax: number;
  /** The classes that this side may be sent. */
  classes: ReadonlySet<number>;
}

/** The bytes of a frame. Throws RangeError above 65,535 bytes of data. */
export function encodeFrame({ command, data }: Frame): Uint8Array {
  if (data.length > FRAME_DATA_BYTES_MAX) throw new RangeError("longer than a frame");
  const head = [command >> 8, command & 0xff, ...(data.length < 0xff ? [data.length] : [0xff, data.length & 0xff, data.length >> 8])];
  return Buffer.concat([Uint8Array.from(head), data]);
}

/**
 * Reads frames from bytes that may be split anywhere. `feed` a chunk, then call `next` until it returns null. It keeps no more than one
 * frame and what was fed after it; after a violation it keeps nothing and returns the same again.
 */
export class FrameReader {
  readonly #options: FrameReaderOptions;
  #chunks: Uint8Array[] = [];
  #buffered = 0;
  #violation: FrameViolation | null = null;

  constructor(options: FrameReaderOptions) {
    this.#options = options;
  }

  /** Bytes that were fed and not returned as frames. */
  get bufferedBytes(): number {
    return this.#buffered;
  }

  /** Copies the chunk. */
  feed(chunk: Uint8Array): void {
    if (this.#violation !== null || chunk.length === 0) return;
    this.#chunks.push(Uint8Array.from(chunk));
    this.#buffered += chunk.length;
  }

  next(): Frame | FrameViolation | null {
    if (this.#violation !== null) return this.#violation;
    const head = this.#head();
    const [high, low, short] = head;
    if (high === undefined) return null;
    if (!this.#options.classes.has(high)) return this.#violate("not_zvt");
    if (low === undefined || short === undefined) return null;
    const [, , , least, most] = head;
    if (short === 0xff && (least === undefined || most === undefined)) return null;
    const headLength = short === 0xff ? 5 : 3;
    const dataLength = short === 0xff ? (most ?? 0) * 256 + (least ?? 0) : short;
    if (dataLength > this.#options.dataBytesMax) return this.#violate("frame_too_large");
    if (this.#buffered < headLength + dataLength) return null;
    const bytes = this.#joined();
    const end = headLength + dataLength;
    this.#keep(bytes.subarray(end));
    return { command: high * 256 + low, data: bytes.slice(headLength, end) };
  }

  /** The first five bytes, or what there is of them; chunks are joined only for a whole frame, so that single bytes cost nothing more. */
  #head(): number[] {
    const head: number[] = [];
    for (const chunk of this.#chunks) {
      for (const byte of chunk.subarray(0, 5 - head.length)) head.push(byte);
      if (head.length === 5) break;
    }
    return head;
  }

  #joined(): Uint8Array {
    const [only, ...more] = this.#chunks;
    return only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks);
  }

  #keep(rest: Uint8Array): void {
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#buffered = rest.length;
  }

  #violate(violation: FrameViolation): FrameViolation {
    this.#violation = violation;
    this.#keep(new Uint8Array(0));
    return violation;
  }
}
