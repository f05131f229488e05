import { randomBytes } from "node:crypto";
import { connect, type Socket } from "node:net";
import { terminalPassword } from "../../http/auth/terminal-password.ts";
import { counterIn } from "./payment-requests.ts";
import { clientAddress, TERMINAL_SECRET } from "./terminals.ts";

const inbox = Buffer.allocUnsafeSlow(262_144);
const HEAD_END = "\r\n\r\n";
const UUID_MEMBER = Buffer.from('"uuid":"', "latin1");
const OPEN_TIMEOUT_MS = 20_000;

/** Sessions that are opened at once. */
const OPENING_AT_ONCE = 50;

const TEXT = 0x81;
const PING = 0x89;
const PONG = 0x8a;
const CLOSE = 0x88;

const RECEIPT_ID = Buffer.from("receipt-id:", "latin1");
const SUBSCRIBED = "subscribed";

/** What a session tells: the counter in the uuid of a payment whose MESSAGE came, or whose result the RECEIPT confirms. */
export interface SessionEvents {
  pushed(counter: number): void;
  recorded?(counter: number): void;
  /** Of anything that ends the session, except `close`. */
  failed(error: Error): void;
}

/**
 * A terminal's STOMP session that does as little as possible: it subscribes its topic (`ack: auto`), and tells of each MESSAGE the counter in
 * its payment's uuid.
 */
export class TerminalSession {
  readonly #socket: Socket;
  readonly #id: string;
  readonly #events: SessionEvents;
  readonly #subscribed: () => void;
  #upgraded = false;
  #part: Buffer | null = null;

  private constructor(port: number, id: string, events: SessionEvents, subscribed: () => void) {
    this.#id = id;
    this.#events = events;
    this.#subscribed = subscribed;
    this.#socket = connect({ host: "127.0.0.1", port, onread: { buffer: inbox, callback: (length) => this.#read(length) } });
    this.#socket.setNoDelay(true);
    this.#socket.on("error", events.failed);
    this.#socket.on("close", () => events.failed(new Error("the server closed a session")));
  }

  /** Resolves once the relay has confirmed the subscription. */
  static open(port: number, id: string, index: number, events: SessionEvents): Promise<TerminalSession> {
    return new Promise<TerminalSession>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error("a session was not confirmed in time")), OPEN_TIMEOUT_MS);
      const failed = (error: Error) => {
        clearTimeout(timer);
        reject(error);
        events.failed(error);
      };
      const session = new TerminalSession(port, id, { ...events, failed }, () => {
        clearTimeout(timer);
        resolve(session);
      });
      session.#socket.write(
        `GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: v12.stomp\r\nX-Forwarded-For: ${clientAddress(index)}\r\n\r\n`,
      );
    });
  }

  /** Sends a result; its RECEIPT says that it is stored. */
  sendResult(counter: number, body: string): void {
    this.#send(`SEND\ndestination:/app/terminal/${this.#id}/receipt\ncontent-type:application/json\nreceipt:${counter}\n\n${body}\0`);
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
      if (bytes.toString("latin1", 9, 12) !== "101") this.#events.failed(new Error("the upgrade was refused"));
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
    if (opcode === CLOSE) this.#events.failed(new Error("the relay closed a session"));
    if (opcode !== TEXT) return;
    switch (bytes[start]) {
      case 0x4d: {
        // MESSAGE
        const uuid = bytes.indexOf(UUID_MEMBER, start);
        if (uuid === -1 || uuid > end) throw new Error("a MESSAGE without a uuid");
        this.#events.pushed(counterIn(bytes, uuid + UUID_MEMBER.length));
        return;
      }
      case 0x43: // CONNECTED
        this.#send(`SUBSCRIBE\nid:0\ndestination:/topic/terminal/${this.#id}\nack:auto\nreceipt:${SUBSCRIBED}\n\n\0`);
        return;
      case 0x52: // RECEIPT
        this.#receipt(bytes, start, end);
        return;
      case 0x45: // ERROR
        this.#events.failed(new Error(`the relay refused a session: ${bytes.toString("latin1", start, Math.min(end, start + 200))}`));
    }
  }

  #receipt(bytes: Buffer, start: number, end: number): void {
    const at = bytes.indexOf(RECEIPT_ID, start);
    if (at === -1 || at > end) throw new Error("a RECEIPT without its id");
    const id = bytes.toString("latin1", at + RECEIPT_ID.length, bytes.indexOf("\n", at, "latin1"));
    if (id === SUBSCRIBED) this.#subscribed();
    else this.#events.recorded?.(Number(id));
  }
}

/** Opens the sessions of these terminals, some at once. What was opened is in `sessions` even where it rejects. */
export async function openSessions(
  port: number,
  ids: readonly string[],
  sessions: TerminalSession[],
  eventsOf: (index: number) => SessionEvents,
): Promise<void> {
  for (let from = 0; from < ids.length; from += OPENING_AT_ONCE) {
    const some = ids.slice(from, from + OPENING_AT_ONCE);
    sessions.push(...(await Promise.all(some.map((id, index) => TerminalSession.open(port, id, from + index, eventsOf(from + index))))));
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
