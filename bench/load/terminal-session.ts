import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { counterIn } from "./payment-requests.ts";
import { clientAddress, TERMINAL_SECRET } from "./terminals.ts";

const inbox = Buffer.allocUnsafeSlow(262_144);
const HEAD_END = "\r\n\r\n";
const UUID_MEMBER = Buffer.from('"uuid":"', "latin1");
const OPEN_TIMEOUT_MS = 20_000;

const TEXT = 0x81;
const PING = 0x89;
const PONG = 0x8a;
const CLOSE = 0x88;

/**
 * A terminal's STOMP session that does as little as possible: it subscribes its topic (`ack: auto`), and tells of each MESSAGE the counter in
 * its payment's uuid.
 */
export class TerminalSession {
  readonly #socket: Socket;
  readonly #id: string;
  readonly #pushed: (counter: number) => void;
  readonly #told: { subscribed(): void; failed(error: Error): void };
  #upgraded = false;
  #part: Buffer | null = null;

  private constructor(
    port: number,
    id: string,
    pushed: (counter: number) => void,
    told: { subscribed(): void; failed(error: Error): void },
  ) {
    this.#id = id;
    this.#pushed = pushed;
    this.#told = told;
    this.#socket = connect({ host: "127.0.0.1", port, onread: { buffer: inbox, callback: (length) => this.#read(length) } });
    this.#socket.setNoDelay(true);
    this.#socket.on("error", told.failed);
    this.#socket.on("close", () => told.failed(new Error("the server closed a session")));
  }

  /** Resolves once the relay has confirmed the subscription. `failed` is told of anything that ends the session, except `close`. */
  static open(port: number, id: string, index: number, pushed: (counter: number) => void, failed: (error: Error) => void) {
    return new Promise<TerminalSession>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("a session was not confirmed in time")), OPEN_TIMEOUT_MS);
      const session = new TerminalSession(port, id, pushed, {
        subscribed: () => {
          clearTimeout(timer);
          resolve(session);
        },
        failed: (error) => {
          clearTimeout(timer);
          reject(error);
          failed(error);
        },
      });
      session.#socket.write(
        `GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: v12.stomp\r\nX-Forwarded-For: ${clientAddress(index)}\r\n\r\n`,
      );
    });
  }

  close(): void {
    this.#socket.removeAllListeners();
    this.#socket.on("error", () => {});
    this.#socket.destroy();
  }

  #send(text: string, opcode = TEXT): void {
    const payload = Buffer.from(text, "latin1");
    const length = payload.length < 126 ? [0x80 | payload.length] : [0x80 | 126, payload.length >> 8, payload.length & 0xff];
    // Masked, as a client has to, with zeros.
    this.#socket.write(Buffer.concat([Buffer.from([opcode, ...length, 0, 0, 0, 0]), payload]));
  }

  #read(length: number): boolean {
    let bytes = inbox.subarray(0, length);
    if (this.#part !== null) bytes = Buffer.concat([this.#part, bytes]);
    this.#part = null;
    let at = 0;
    if (!this.#upgraded) {
      const end = bytes.indexOf(HEAD_END);
      if (end === -1) return this.#keep(bytes);
      if (bytes.toString("latin1", 9, 12) !== "101") this.#told.failed(new Error("the upgrade was refused"));
      this.#upgraded = true;
      const passcode = terminalPassword(TERMINAL_SECRET, this.#id);
      this.#send(`CONNECT\naccept-version:1.2\nhost:relay\nlogin:${this.#id}\npasscode:${passcode}\nheart-beat:0,0\n\n\0`);
      at = end + HEAD_END.length;
    }
    while (at < bytes.length) {
      const end = frameEnd(bytes, at);
      if (end === null) return this.#keep(bytes.subarray(at));
      this.#frame(bytes, at, end);
      at = end;
    }
    return true;
  }

  #keep(bytes: Buffer): boolean {
    this.#part = Buffer.from(bytes);
    return true;
  }

  #frame(bytes: Buffer, at: number, end: number): void {
    const opcode = bytes[at];
    const start = at + (((bytes[at + 1] ?? 0) & 0x7f) === 126 ? 4 : 2);
    if (opcode === PING) this.#send(bytes.toString("latin1", start, end), PONG);
    if (opcode === CLOSE) this.#told.failed(new Error("the relay closed a session"));
    if (opcode !== TEXT) return;
    switch (bytes[start]) {
      case 0x4d: {
        // MESSAGE
        const uuid = bytes.indexOf(UUID_MEMBER, start);
        if (uuid === -1 || uuid > end) throw new Error("a MESSAGE without a uuid");
        this.#pushed(counterIn(bytes, uuid + UUID_MEMBER.length));
        return;
      }
      case 0x43: // CONNECTED
        this.#send(`SUBSCRIBE\nid:0\ndestination:/topic/terminal/${this.#id}\nack:auto\nreceipt:subscribed\n\n\0`);
        return;
      case 0x52: // RECEIPT
        this.#told.subscribed();
        return;
      case 0x45: // ERROR
        this.#told.failed(new Error(`the relay refused a session: ${bytes.toString("latin1", start, Math.min(end, start + 200))}`));
    }
  }
}

/** Where the frame that begins at `at` ends; null while some of it is missing. */
function frameEnd(bytes: Buffer, at: number): number | null {
  if (bytes.length < at + 2) return null;
  const short = (bytes[at + 1] ?? 0) & 0x7f;
  if (short === 127) throw new Error("a frame is larger than any command");
  if (short === 126 && bytes.length < at + 4) return null;
  const end = short === 126 ? at + 4 + bytes.readUInt16BE(at + 2) : at + 2 + short;
  return end > bytes.length ? null : end;
}
