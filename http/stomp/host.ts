import type { Caller } from "../../engine/access/caller.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { TerminalSessions } from "../../engine/sessions/terminal-sessions.ts";
import type { ResultOutcome } from "../../engine/terminals/terminals.ts";
import type { StompVersion } from "./frame.ts";

/**
 * The WebSocket as a session sees it, whatever server holds it. After `close` or `terminate` nothing more is sent; the adapter calls
 * `closed` on the connection once the socket is gone, be it inside these calls.
 */
export interface StompSocket {
  /** `buffered`: taken, but not by the network yet. `dropped`: no byte of it was or will be written. */
  send(text: string): "sent" | "buffered" | "dropped";
  /** Bytes taken and not yet written to the network. */
  bufferedBytes(): number;
  /** Ends with a WebSocket close frame after what is buffered. */
  close(code: number, reason: string): void;
  /** Ends at once, without waiting for a peer that may no longer read. */
  terminate(): void;
}

/** What an adapter tells about one WebSocket. */
export interface StompConnection {
  /** One WebSocket message, text or binary, at most WEBSOCKET_MESSAGE_BYTES_READ_MAX. The memory may be reused afterwards. */
  message(data: Uint8Array): void;
  /** A WebSocket pong, the answer to the adapter's own ping. */
  pong(): void;
  /** The socket is gone. */
  closed(): void;
}

/** What the upgrade request told. */
export interface UpgradeInfo {
  ipAddress?: string;
  userAgent?: string;
  /** Stable digest of what identifies the device, where the server has one. */
  fingerprint?: string;
  /** Whom the upgrade's own `Authorization: Basic` header showed, already checked; null without one. */
  caller: Caller | null;
}

/** A SEND of a result. `bodyText` is what came, valid UTF-8, at most RESULT_BODY_BYTES_MAX; JSON or not is for the host to find out. */
export interface ResultSend {
  caller: Caller;
  /** The terminal that the session is. */
  identity: string;
  /** The terminal whose result it is; the session may act for it. */
  terminalId: string;
  bodyText: string;
}

/** A SEND of a result whose body is no text, or too long. */
export interface UnreadSend extends Omit<ResultSend, "bodyText"> {
  /** Valid only during the call; empty where it is too long. */
  bytes: Uint8Array;
  isWhole: boolean;
  reason: string;
}

/** What the sessions of one shard need from the node. */
export interface StompHost {
  terminals: TerminalSessions;
  clock: Clock;
  ids: Ids;
  /** Shown in CONNECTED, without version details that help an attacker. */
  serverName: string;
  /** True where a session without credentials is let in (sandbox). */
  anonymousAllowed: boolean;
  /** The caller of a login and passcode, or null. */
  authenticate(login: string, passcode: string): Caller | null | Promise<Caller | null>;
  /** Whether the whitelist lets `identity` take the topic of `target`, and post results for it; `target` is not `identity`. */
  mayTake(identity: string, target: string): boolean;
  /** A notice (no command) that comes first when a terminal subscribes to its own topic; null for none. */
  greeting?(terminalId: string): string | null;
  /** Resolves when the result is on stable storage. Rejects with RelayError, whose message goes to the terminal. */
  recordResult(send: ResultSend): Promise<ResultOutcome>;
  /** Keeps what was sent as a result and is no text, or is too long; the session ends with an ERROR afterwards. */
  keepUnread(send: UnreadSend): Promise<void>;
  /** Called for what an operator may want to know; never with credentials, bodies or header values beyond ids. */
  onEvent(event: StompEvent): void;
}

export type StompEvent =
  | { type: "connected"; sessionId: string; version: StompVersion; caller: Caller["type"]; ipAddress: string | undefined }
  | { type: "subscribed"; sessionId: string; terminalId: string; own: boolean }
  /** An ERROR frame was sent; `cause` is there for what was not expected. */
  | { type: "refused"; sessionId: string; code: string; message: string; cause?: unknown }
  | { type: "ended"; sessionId: string; reason: string };
