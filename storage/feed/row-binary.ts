/** Memory is allocated in pieces of this size. */
const CHUNK_BYTES = 1_048_576;

/** The maximum number of UTF-8 bytes per UTF-16 unit of a string. */
const BYTES_A_UNIT_MAX = 3;

/** The maximum number of bytes for the length of a text, which has up to 4 GiB. */
const LENGTH_BYTES_MAX = 5;

/**
 * ASCII texts up to this length are written faster unit by unit than by a call of Node. Their
 * length takes one byte.
 */
const SHORT_TEXT_UNITS = 40;

const TWO_TO_32 = 4_294_967_296;

const DAY_MS = 86_400_000;

/**
 * The end of ClickHouse's type Date. A later time, or one before 1970, would silently wrap around.
 */
export const LATEST_MS = Date.UTC(2149, 0, 1);

/**
 * Rows in ClickHouse's format RowBinary: the values of a row in the order of its columns, without
 * separators. They are stored as bytes outside the garbage-collected heap, since each collection
 * would copy thousands of waiting rows. ClickHouse does not check the bytes, so every value is
 * checked here, whatever its type says. A value that its column cannot hold throws. `dropRow` then
 * removes the bytes of its row.
 */
export class RowBinary {
  readonly #full: Buffer[] = [];
  #chunk = Buffer.allocUnsafe(0);
  #used = 0;
  #rowStart = 0;

  /**
   * Writes a String or LowCardinality(String). UTF-8 has no unpaired surrogates: they become
   * U+FFFD.
   */
  text(value: string): void {
    if (typeof value !== "string") throw new TypeError("a text is missing, or is none");
    const units = value.length;
    this.#reserve(units * BYTES_A_UNIT_MAX + LENGTH_BYTES_MAX);
    if (units <= SHORT_TEXT_UNITS && this.#shortText(value, units)) return;
    // For a mostly ASCII text this is the length's real number of bytes.
    const expected = lengthBytes(units);
    const start = this.#used + expected;
    const bytes = this.#chunk.write(value, start);
    const needed = lengthBytes(bytes);
    if (needed !== expected) this.#chunk.copyWithin(this.#used + needed, start, start + bytes);
    this.#length(bytes);
    this.#used += bytes;
  }

  bool(value: boolean): void {
    if (typeof value !== "boolean") throw new TypeError("a truth value is missing, or is none");
    this.#reserve(1);
    this.#byte(value ? 1 : 0);
  }

  uint32(value: number): void {
    if (!Number.isSafeInteger(value) || value < 0 || value >= TWO_TO_32) throw new RangeError("a number is not from 0 to 2^32 - 1");
    this.#reserve(4);
    this.#word(value);
  }

  uint64(value: number): void {
    if (value < 0) throw new RangeError("a number is below 0");
    this.int64(value);
  }

  int64(value: number): void {
    if (!Number.isSafeInteger(value)) throw new RangeError("a number is missing, or not whole, or too large");
    this.#reserve(8);
    this.#word(value);
    this.#word(Math.floor(value / TWO_TO_32));
  }

  /** Writes a DateTime64(3). */
  time(ms: number): void {
    assertTime(ms);
    this.int64(ms);
  }

  /** Writes a Nullable(DateTime64(3)). */
  timeOrNull(ms: number | null): void {
    this.#reserve(1);
    this.#byte(ms === null ? 1 : 0);
    if (ms !== null) this.time(ms);
  }

  /** Writes the Date of a time in UTC. */
  day(ms: number): void {
    assertTime(ms);
    const day = Math.floor(ms / DAY_MS);
    this.#reserve(2);
    this.#byte(day);
    this.#byte(day >>> 8);
  }

  /** Ends a row, after all its values are written. */
  endRow(): void {
    this.#rowStart = this.#used;
  }

  /** Removes the values since the last row that ended. */
  dropRow(): void {
    this.#used = this.#rowStart;
  }

  /** The rows that have ended, in pieces. */
  get chunks(): readonly Buffer[] {
    return this.#rowStart === 0 ? this.#full : [...this.#full, this.#chunk.subarray(0, this.#rowStart)];
  }

  #shortText(value: string, units: number): boolean {
    const chunk = this.#chunk;
    let at = this.#used;
    chunk[at++] = units;
    for (let index = 0; index < units; index++) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      chunk[at++] = unit;
    }
    this.#used = at;
    return true;
  }

  /**
   * Writes a length in LEB128: seven bits a byte, the lowest first. The highest bit tells that
   * another byte follows.
   */
  #length(value: number): void {
    let rest = value;
    for (; rest > 0x7f; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80);
    this.#byte(rest);
  }

  /** Writes the lowest 32 bits. */
  #word(value: number): void {
    this.#byte(value);
    this.#byte(value >>> 8);
    this.#byte(value >>> 16);
    this.#byte(value >>> 24);
  }

  /** Writes the lowest 8 bits. The caller has reserved the space. */
  #byte(value: number): void {
    this.#chunk[this.#used++] = value;
  }

  /**
   * Reserves space. A row stays in one piece, so that it can be dropped: its written part moves to
   * the next piece.
   */
  #reserve(bytes: number): void {
    if (this.#used + bytes <= this.#chunk.length) return;
    const begun = this.#chunk.subarray(this.#rowStart, this.#used);
    const next = Buffer.allocUnsafeSlow(Math.max(CHUNK_BYTES, 2 * begun.length + bytes));
    next.set(begun);
    if (this.#rowStart > 0) this.#full.push(this.#chunk.subarray(0, this.#rowStart));
    this.#chunk = next;
    this.#used = begun.length;
    this.#rowStart = 0;
  }
}

function lengthBytes(value: number): number {
  let bytes = 1;
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes += 1;
  return bytes;
}

/** A missing time would otherwise silently become 1970. */
function assertTime(ms: number): void {
  if (!Number.isSafeInteger(ms)) throw new RangeError("a time is a whole number of milliseconds");
  if (ms < 0 || ms >= LATEST_MS) throw new RangeError("a time lies from 1970 to 2148");
}
