import type { DeviceInfo } from "./presence.ts";

/**
 * What a messaging surface (STOMP) tells the engine about live sessions. A session here is one subscription of one WebSocket to one
 * terminal's topic; `sessionId` is unique in the whole system.
 */
export interface TerminalSessions {
  /**
   * From now on commands of the terminal may be put to `socket`; whatever waits is put there at once, in order. Null when every command accepted from now on
   * will be; else resolves when that is so, or when the terminal's home does not answer, which is then told again.
   */
  open(session: OpenSession, socket: SessionSocket): Promise<void> | null;
  /** The session is gone or unsubscribed. What a redelivering client had not acknowledged is held for the next such one. */
  close(terminalId: string, sessionId: string): void;
  /** Any frame, heart-beat or pong; cheap, may be called for each. */
  active(terminalId: string, sessionId: string): void;
  /** ACK of these commands. */
  acknowledge(terminalId: string, sessionId: string, uuids: readonly string[]): void;
  /** NACK: back to the head of the queue, or to what is held; not offered to this session again for a moment. */
  refuse(terminalId: string, sessionId: string, uuids: readonly string[]): void;
}

export interface OpenSession {
  terminalId: string;
  sessionId: string;
  /** True when the session's own identity is this terminal; false for one that a whitelist rule let in. */
  own: boolean;
  /** True for `client` and `client-individual`: the engine expects acknowledge or refuse. */
  acknowledges: boolean;
  /** True for `client-individual` with the header `redeliver: same-uuid`, where the session's own login is this terminal (ARCHITECTURE.md, promise 2). */
  redeliver: boolean;
  device: DeviceInfo;
}

/** A session as its terminal's home is told of it, once it is open or again later: what it is by then stays as it was. */
export interface ToldSession extends OpenSession {
  /** Milliseconds UTC; absent: now. */
  openedAtMs?: number;
  /** How long ago something was heard of it; absent: just now. */
  agoMs?: number;
}

export interface SessionSocket {
  /**
   * Writes one message. `uuid` is null for what is not a command (FORCE_UPDATE). Answers false only when it is certain that
   * no byte of it was or will be written: the command then goes back to the queue.
   */
  deliver(uuid: string | null, text: string): boolean;
}

/** In a broadcast text: the terminal's id. (Ids need no escaping in JSON or in a URL.) */
export const TERMINAL_ID_PLACE = "{terminalId}";
