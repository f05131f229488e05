import { connect, type Socket } from "node:net";

/** Largest answer that is expected in one piece; a longer one ends the run as broken. */
const ANSWER_BYTES_MAX = 65_536;

const HEAD_END = Buffer.from("\r\n\r\n", "latin1");
/** As uWebSockets.js and Spring write it, and as Node does. */
const CONTENT_LENGTHS = ["\r\nContent-Length: ", "\r\ncontent-length: "].map((text) => Buffer.from(text, "latin1"));
const CHUNKED = Buffer.from("\r\nTransfer-Encoding: chunked\r\n", "latin1");

/** All connections of a thread read into one buffer: an answer is looked at before the next read. */
const inbox = Buffer.allocUnsafeSlow(ANSWER_BYTES_MAX);

const CR = 0x0d;
const ZERO = 0x30;

/** What an answer is told to: its status. */
export type Answered = (connection: HttpConnection, status: number) => void;

/**
 * A keep-alive connection with one request under way at a time. It reads of an answer only its status and where it ends, so that the
 * generator is not what is measured.
 */
export class HttpConnection {
  readonly #socket: Socket;
  readonly #answered: Answered;
  #part: Buffer | null = null;

  private constructor(port: number, answered: Answered, failed: (error: Error) => void) {
    this.#answered = answered;
    this.#socket = connect({ host: "127.0.0.1", port, onread: { buffer: inbox, callback: (length) => this.#read(length) } });
    this.#socket.setNoDelay(true);
    this.#socket.on("error", failed);
    this.#socket.on("close", () => failed(new Error("the server closed a connection")));
  }

  /** Opens a connection. `failed` is told of anything that ends it, except `close`. */
  static open(port: number, answered: Answered, failed: (error: Error) => void): Promise<HttpConnection> {
    return new Promise((resolve, reject) => {
      const connection = new HttpConnection(port, answered, (error) => {
        reject(error);
        failed(error);
      });
      connection.#socket.once("connect", () => resolve(connection));
    });
  }

  /** `request` may be reused once the answer is there. */
  send(request: Uint8Array): void {
    this.#socket.write(request);
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.on("error", () => {});
    this.#socket.destroy();
  }

  #read(length: number): boolean {
    if (this.#part === null) {
      const status = answerIn(inbox, length);
      if (status !== null) this.#answered(this, status);
      else this.#part = Buffer.from(inbox.subarray(0, length));
      return true;
    }
    // An answer that came in pieces, which a few hundred bytes hardly ever do.
    this.#part = Buffer.concat([this.#part, inbox.subarray(0, length)]);
    const status = answerIn(this.#part, this.#part.length);
    if (status === null) return true;
    this.#part = null;
    this.#answered(this, status);
    return true;
  }
}

/** The status of the whole answer that the bytes are, or null while some of it is missing. Throws for more than one answer. */
export function answerIn(bytes: Buffer, length: number): number | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1 || headEnd + HEAD_END.length > length) return null;
  const status = (digit(bytes, 9) * 10 + digit(bytes, 10)) * 10 + digit(bytes, 11);
  const bodyAt = headEnd + HEAD_END.length;
  const end = status === 204 ? bodyAt : bodyEnd(bytes, { headEnd, bodyAt, length });
  if (end === null || end > length) return null;
  if (end < length) throw new Error("more came than one answer");
  return status;
}

/** Null where it cannot be told before more of it is there. */
function bodyEnd(bytes: Buffer, { headEnd, bodyAt, length }: { headEnd: number; bodyAt: number; length: number }): number | null {
  for (const name of CONTENT_LENGTHS) {
    const header = bytes.indexOf(name);
    if (header === -1 || header > headEnd) continue;
    let bodyLength = 0;
    for (let at = header + name.length; bytes[at] !== CR; at++) bodyLength = bodyLength * 10 + digit(bytes, at);
    return bodyAt + bodyLength;
  }
  const chunked = bytes.indexOf(CHUNKED);
  if (chunked === -1 || chunked > headEnd) throw new Error("an answer says not how long it is");
  for (let at = bodyAt; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at, "latin1");
    if (lineEnd === -1 || lineEnd + 2 > length) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    if (Number.isNaN(size)) throw new Error("an answer has a chunk without a size");
    at = lineEnd + 2 + size + 2;
    if (size === 0 || at > length) return at;
  }
}

function digit(bytes: Buffer, at: number): number {
  return (bytes[at] ?? 0) - ZERO;
}
