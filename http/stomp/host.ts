import type { Caller } from "../../engine/access/caller.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import type { ErrorCode, RelayError } from "../../engine/kernel/errors.ts";
import type { Ids } from "../../engine/kernel/ids.ts";
import type { TerminalSessions } from "../../engine/sessions/terminal-sessions.ts";
import type { ResultOutcome } from "../../engine/terminals/terminals.ts";
import type { StompVersion } from "./frame.ts";

/**
 * The WebSocket as a session sees it, independent of the server. After `close` or `terminate` nothing more is sent. The adapter calls
 * `closed` on the connection when the socket is closed, possibly within these calls.
 */
export interface StompSocket {
  /** `buffered`: accepted, but not written to the network yet. `dropped`: no byte of it was or will be written. */
  send(text: string): "sent" | "buffered" | "dropped";
  /** Bytes accepted and not yet written to the network. */
  bufferedBytes(): number;
  /** Ends with a WebSocket close frame after what is buffered. */
  close(code: number, reason: string): void;
  /** Closes at once, without waiting for a peer that may no longer read. */
  terminate(): void;
  /** The session has a login that was verified. */
  loggedIn(): void;
}

/** Events of one WebSocket, called by its adapter. */
export interface StompConnection {
  /** One WebSocket message, text or binary, at most WEBSOCKET_MESSAGE_BYTES_MAX. The memory may be reused afterwards. */
  message(data: Uint8Array): void;
  /** A WebSocket pong, the answer to the adapter's own ping. */
  pong(): void;
  /** The socket is closed. */
  closed(): void;
}

export type UpgradeCaller = Caller | RelayError;

/** Data from the upgrade request. */
export interface UpgradeInfo {
  ipAddress?: string;
  userAgent?: string;
  /** Stable digest of the device's identifying data, if the server has one. */
  fingerprint?: string;
  /** The caller of the upgrade's `Authorization` header, or why it is refused; null without one. */
  caller: UpgradeCaller | Promise<UpgradeCaller> | null;
}

/** A SEND of a result. `bodyText` is the received body, valid UTF-8, at most RESULT_BODY_BYTES_MAX; the host checks whether it is JSON. */
export interface ResultSend {
  caller: Caller;
  /** The terminal as which the session is authenticated. */
  identity: string;
  /** The terminal whose result it is; the session may act for it. */
  terminalId: string;
  bodyText: string;
}

/** A SEND of a result whose body is not text, or too long. */
export interface UnreadSend extends Omit<ResultSend, "bodyText"> {
  /** Valid only during the call; empty if the body is too long. */
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
  /** True if sessions without credentials are accepted (sandbox). */
  anonymousAllowed: boolean;
  /** The caller of a login and passcode, or null. Rejects with RelayError where they cannot be checked now, or are held back. */
  authenticate(login: string, passcode: string, ipAddress: string): Caller | null | Promise<Caller | null>;
  /**
   * Whether `identity` may subscribe to the topic of `target` and post results for it: its own if it is not denied, another's if the
   * whitelist or a group allows it.
   */
  mayTake(identity: string, target: string): boolean;
  /** A notice (not a command) that is sent first when a terminal subscribes to its own topic; null for none. */
  greeting?(terminalId: string): string | null;
  /** Resolves when the result is on stable storage. Rejects with RelayError, whose message goes to the terminal. */
  recordResult(send: ResultSend): Promise<ResultOutcome>;
  /** Stores a result that is not text, or is too long; the session ends with an ERROR afterwards. */
  keepUnread(send: UnreadSend): Promise<void>;
  /** Called for events that may interest an operator; never with credentials, bodies or header values other than ids. */
  onEvent(event: StompEvent): void;
}

export type StompEvent =
  | { type: "connected"; sessionId: string; version: StompVersion; caller: Caller["type"]; ipAddress: string | undefined }
  | { type: "subscribed"; sessionId: string; terminalId: string; own: boolean }
  /** An ERROR frame was sent; `cause` is present for unexpected errors. */
  | { type: "refused"; sessionId: string; code: string; message: string; cause?: unknown }
  | { type: "ended"; sessionId: string; reason: string; why: StompEnd };

/**
 * Why a session ended, for sums: the client's DISCONNECT; a connection that broke or was closed without it; a terminal that reads too slowly; the node, which
 * stops or was away; or the code of the ERROR frame.
 */
export type StompEnd = "disconnected" | "connection_lost" | "too_slow" | "going_away" | ErrorCode;
