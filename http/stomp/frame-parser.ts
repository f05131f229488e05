import { escapingOf, FrameError, type FrameHead, type StompFrame, type StompVersion, unescapeHeader } from "./frame.ts";
import { PartBuffer } from "./part-buffer.ts";

/** Bounds of a frame; going over one is a FrameError before more than that is kept. */
export interface FrameLimits {
  commandBytesMax: number;
  headerLineBytesMax: number;
  headersMax: number;
  /** All header lines of a frame together. */
  headerBytesMax: number;
  bodyBytesMax: number;
  /** Maximum number of bytes that `keep` may copy. */
  unreadBytesMax: number;
}

const LF = 0x0a;
const CR = 0x0d;
const NUL = 0;
const EMPTY = new Uint8Array(0);
/** Between frames, of thousands of sessions; a frame's own begin with its command. */
const NO_HEADERS = new Map<string, string>();
const COMMAND = /^[A-Z]+$/;
const LENGTH = /^[0-9]{1,10}$/;

type State = "command" | "headers" | "counted_body" | "terminated_body" | "terminator";

/**
 * Reads STOMP 1.0, 1.1 and 1.2 frames from bytes that may be split anywhere. `feed` a chunk, then call `next` until it returns null;
 * heart-beat line ends between frames are skipped. A chunk is read only while `next` runs, unless `keep` is called; parts that are needed
 * later are copied. After a FrameError the parser must not be used again.
 */
export class FrameParser {
  /** The agreed version, which decides how headers are escaped; 1.2 until then. */
  version: StompVersion = "1.2";
  readonly #limits: FrameLimits;
  #chunk: Uint8Array = EMPTY;
  #at = 0;
  #state: State = "command";
  #part: PartBuffer | null = null;
  #command = "";
  #headers = NO_HEADERS;
  #headerCount = 0;
  #headerBytes = 0;
  #bodyLength = 0;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** True while a frame has begun and not ended. */
  get midFrame(): boolean {
    return this.#state !== "command" || this.#part !== null;
  }

  /** The frame that has begun and not ended, also after a FrameError in its middle: its command, and the headers that were read. */
  get begun(): FrameHead | null {
    if (this.#state === "command") return null;
    return { command: this.#command, headers: this.#isVersion10() ? trimmed(this.#headers) : this.#headers };
  }

  /** Adds bytes after those not read yet. */
  feed(chunk: Uint8Array): void {
    const unread = this.#chunk.length - this.#at;
    this.#chunk = unread === 0 ? chunk : Buffer.concat([this.#chunk.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** Copies the unread bytes, because the chunk's memory is about to be reused. Throws FrameError if there are too many. */
  keep(): void {
    const unread = this.#chunk.subarray(this.#at);
    if (unread.length > this.#limits.unreadBytesMax)
      throw new FrameError("The client sent too much before its earlier frames were answered", "payload_too_large");
    this.#chunk = unread.length === 0 ? EMPTY : Uint8Array.from(unread);
    this.#at = 0;
  }

  /** Forgets what was fed, also the frame that has begun; also after a FrameError. */
  drop(): void {
    this.#chunk = EMPTY;
    this.#at = 0;
    this.#part = null;
    this.#headers = NO_HEADERS;
    this.#state = "command";
  }

  /** The next whole frame, or null when more bytes are needed. Throws FrameError if the bytes are not STOMP or exceed a limit. */
  next(): StompFrame | null {
    for (;;) {
      switch (this.#state) {
        case "command":
          if (!this.#readCommand()) return null;
          break;
        case "headers":
          if (!this.#readHeader()) return null;
          break;
        case "counted_body":
          if (!this.#readCounted()) return null;
          break;
        case "terminated_body": {
          const body = this.#readUntil(NUL, this.#limits.bodyBytesMax, "The body is too large");
          return body === null ? null : this.#finish(body);
        }
        case "terminator": {
          const byte = this.#chunk[this.#at];
          if (byte === undefined) return null;
          this.#at += 1;
          if (byte !== NUL) throw new FrameError("The body does not end where content-length says");
          return this.#finish(this.#part?.take() ?? EMPTY);
        }
      }
    }
  }

  #readCommand(): boolean {
    while (this.#part === null && this.#chunk[this.#at] === LF) this.#at += 1;
    const line = this.#readLine(this.#limits.commandBytesMax, "The command is too long");
    if (line === null) return false;
    if (line.length === 0) return true;
    const command = Buffer.from(line.buffer, line.byteOffset, line.length).toString("latin1");
    if (!COMMAND.test(command)) throw new FrameError("A frame does not begin with a STOMP command");
    this.#command = command;
    this.#headers = new Map();
    this.#state = "headers";
    return true;
  }

  #readHeader(): boolean {
    const line = this.#readLine(this.#limits.headerLineBytesMax, "A header is too long");
    if (line === null) return false;
    if (line.length === 0) {
      this.#beginBody();
      return true;
    }
    this.#headerCount += 1;
    this.#headerBytes += line.length;
    if (this.#headerCount > this.#limits.headersMax || this.#headerBytes > this.#limits.headerBytesMax) {
      throw new FrameError("A frame has too many headers", "payload_too_large");
    }
    const text = decodeHeader(line);
    const colon = text.indexOf(":");
    if (colon < 1) throw new FrameError("A header line is not a name, a colon and a value");
    const escaping = escapingOf(this.version, this.#command);
    if (this.version === "1.2" && text.includes("\r")) throw new FrameError("A header holds a bare carriage return");
    const name = unescapeHeader(text.slice(0, colon), escaping);
    // A colon in a value should be escaped, but many clients do not, and nothing is ambiguous about it.
    const value = unescapeHeader(text.slice(colon + 1), escaping);
    if (!this.#headers.has(name)) this.#headers.set(name, value);
    return true;
  }

  #beginBody(): void {
    if (this.#isVersion10()) this.#headers = trimmed(this.#headers);
    const length = this.#headers.get("content-length");
    if (length === undefined) {
      this.#state = "terminated_body";
      return;
    }
    if (!LENGTH.test(length)) throw new FrameError("content-length is not a number of bytes");
    this.#bodyLength = Number(length);
    if (this.#bodyLength > this.#limits.bodyBytesMax) throw new FrameError("The body is too large", "payload_too_large");
    this.#state = this.#bodyLength === 0 ? "terminator" : "counted_body";
  }

  /** STOMP 1.0 clients write `name: value`; from 1.1 on spaces belong to the value. */
  #isVersion10(): boolean {
    const connecting = this.#command === "CONNECT" || this.#command === "STOMP";
    return connecting ? !this.#headers.has("accept-version") : this.version === "1.0";
  }

  #readCounted(): boolean {
    this.#part ??= new PartBuffer();
    const wanted = this.#bodyLength - this.#part.length;
    const bytes = this.#chunk.subarray(this.#at, this.#at + wanted);
    this.#part.append(bytes);
    this.#at += bytes.length;
    if (bytes.length < wanted) return false;
    this.#state = "terminator";
    return true;
  }

  /** A line without its end (LF, or CR LF), or null if it is not complete yet. */
  #readLine(bytesMax: number, tooLong: string): Uint8Array | null {
    const line = this.#readUntil(LF, bytesMax + 1, tooLong);
    if (line === null) return null;
    const end = line.at(-1) === CR ? line.length - 1 : line.length;
    if (end > bytesMax) throw new FrameError(tooLong, "payload_too_large");
    return line.subarray(0, end);
  }

  /** The bytes before `end`, which is consumed. If `end` has not arrived, the bytes are kept and null is returned. */
  #readUntil(end: number, bytesMax: number, tooLong: string): Uint8Array | null {
    const start = this.#at;
    const kept = this.#part?.length ?? 0;
    const found = this.#chunk.indexOf(end, start);
    const stop = found === -1 ? this.#chunk.length : found;
    if (kept + stop - start > bytesMax) throw new FrameError(tooLong, "payload_too_large");
    const bytes = this.#chunk.subarray(start, stop);
    if (end === LF && bytes.includes(NUL)) throw new FrameError("A frame ends before its headers are complete");
    if (found === -1) {
      if (bytes.length > 0) {
        this.#part ??= new PartBuffer();
        this.#part.append(bytes);
      }
      this.#at = stop;
      return null;
    }
    this.#at = found + 1;
    if (this.#part === null) return bytes;
    this.#part.append(bytes);
    const whole = this.#part.take();
    this.#part = null;
    return whole;
  }

  #finish(body: Uint8Array): StompFrame {
    const frame = { command: this.#command, headers: this.#headers, body: Uint8Array.from(body) };
    this.#part = null;
    this.#headers = NO_HEADERS;
    this.#headerCount = 0;
    this.#headerBytes = 0;
    this.#state = "command";
    return frame;
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function decodeHeader(line: Uint8Array): string {
  try {
    return decoder.decode(line);
  } catch {
    throw new FrameError("A header is not UTF-8");
  }
}

function trimmed(headers: ReadonlyMap<string, string>): Map<string, string> {
  const result = new Map<string, string>();
  for (const [name, value] of headers) {
    if (!result.has(name.trim())) result.set(name.trim(), value.trim());
  }
  return result;
}
