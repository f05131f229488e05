import type { Caller } from "../../../engine/access/caller.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { OpenSession, SessionSocket } from "../../../engine/sessions/terminal-sessions.ts";
import type { ResultOutcome } from "../../../engine/terminals/terminals.ts";
import { type StompFrame, type StompVersion, serializeFrame } from "../../../http/stomp/frame.ts";
import { FrameParser } from "../../../http/stomp/frame-parser.ts";
import type { ResultSend, StompConnection, StompEvent, StompHost, StompSocket, UnreadSend, UpgradeInfo } from "../../../http/stomp/host.ts";
import type { HeartBeatOffer } from "../../../http/stomp/negotiation.ts";
import { createStompSessions, type StompSessions } from "../../../http/stomp/sessions.ts";

/** A node around the sessions: a clock that the test moves, an engine that writes down what it is told, results that the test settles. */
export interface World {
  sessions: StompSessions;
  /** Moves the clock, ticking every 250 ms on the way. */
  advance(ms: number): void;
  /** What the engine was told, in order, as short text. */
  told: string[];
  opened: Map<string, { session: OpenSession; socket: SessionSocket }>;
  /** Puts a command to the one live session of a terminal. */
  push(terminalId: string, uuid: string | null, text?: string): boolean;
  posted: ResultSend[];
  /** What was sent and is no text, or too long. */
  unread: UnreadSend[];
  /** Decides about each result; stored at once unless the test says otherwise. */
  record: (send: ResultSend) => Promise<ResultOutcome>;
  /** What the engine answers to a new session. */
  opening: Promise<void> | null;
  /** Pairs `identity>target` that the whitelist allows. */
  allowed: Set<string>;
  /** Terminals whose access was withdrawn. */
  denied: Set<string>;
  events: StompEvent[];
}

export const PASSCODE = "secret-passcode";

export function createWorld(changes: Partial<StompHost> = {}, offer?: HeartBeatOffer): World {
  let nowMs = 1_000_000;
  let ids = 0;
  const told: string[] = [];
  const opened: World["opened"] = new Map();
  const host: StompHost = {
    clock: { nowMs: () => nowMs, monotonicMs: () => nowMs },
    ids: {
      uuid: () => {
        ids += 1;
        return `s${ids}`;
      },
    },
    serverName: "terminal-relay",
    anonymousAllowed: false,
    authenticate: (login, passcode) => (passcode === PASSCODE ? callerOf(login) : null),
    mayTake: (identity, target) => !world.denied.has(target) && (identity === target || world.allowed.has(`${identity}>${target}`)),
    recordResult: (send) => {
      world.posted.push(send);
      return world.record(send);
    },
    keepUnread: async (send) => {
      world.unread.push({ ...send, bytes: Uint8Array.from(send.bytes) });
    },
    onEvent: (event) => world.events.push(event),
    terminals: {
      open(session, socket) {
        told.push(`open ${session.terminalId} ${session.sessionId}${session.own ? " own" : ""}`);
        opened.set(session.sessionId, { session, socket });
        return world.opening;
      },
      close(terminalId, sessionId) {
        told.push(`close ${terminalId} ${sessionId}`);
        opened.delete(sessionId);
      },
      active: (terminalId, sessionId) => told.push(`active ${terminalId} ${sessionId}`),
      acknowledge: (terminalId, sessionId, uuids) => told.push(`ack ${terminalId} ${sessionId} ${uuids.join(",")}`),
      refuse: (terminalId, sessionId, uuids) => told.push(`nack ${terminalId} ${sessionId} ${uuids.join(",")}`),
    },
    ...changes,
  };
  const sessions = createStompSessions(host, offer);
  const world: World = {
    sessions,
    told,
    opened,
    posted: [],
    unread: [],
    opening: null,
    allowed: new Set(),
    denied: new Set(),
    events: [],
    record: async () => ({ type: "recorded" }),
    advance(ms) {
      for (const untilMs = nowMs + ms; nowMs < untilMs; ) {
        nowMs = Math.min(nowMs + 250, untilMs);
        sessions.tick();
      }
    },
    push(terminalId, uuid, text = `{"uuid":"${uuid}"}`) {
      const [live] = [...opened.values()].filter(({ session }) => session.terminalId === terminalId);
      return live?.socket.deliver(uuid, text) ?? false;
    },
  };
  return world;
}

function callerOf(login: string): Caller {
  switch (login) {
    case "fleet":
      return { type: "fleet" };
    case "admin":
      return { type: "administrator", username: "admin", role: "owner" };
    case "partner":
      return { type: "partner", partnerId: 1, username: "partner", terminals: { names: false, matches: () => true } };
    default:
      return { type: "terminal", terminalId: login };
  }
}

/** A terminal on a socket that the test controls. */
export class FakeTerminal {
  /** Everything that came, heart-beats as "beat". */
  readonly frames: (Frame | "beat")[] = [];
  closed: { code: number; reason: string } | "terminated" | null = null;
  outcome: "sent" | "buffered" | "dropped" = "sent";
  buffered = 0;
  /** The session has told its socket so. */
  loggedIn = false;
  /** False for a peer that never answers a close. */
  answersClose = true;
  readonly #connection: StompConnection;
  #version: StompVersion = "1.2";

  constructor(world: World, upgrade: UpgradeInfo = { caller: null }) {
    const socket: StompSocket = {
      send: (text) => {
        if (this.outcome !== "dropped") this.#came(text);
        return this.outcome;
      },
      bufferedBytes: () => this.buffered,
      close: (code, reason) => {
        this.closed = { code, reason };
        if (this.answersClose) this.#connection.closed();
      },
      terminate: () => {
        this.closed = "terminated";
        this.#connection.closed();
      },
      loggedIn: () => {
        this.loggedIn = true;
      },
    };
    this.#connection = world.sessions.open(socket, upgrade);
  }

  /** Sends a frame and answers with what came back during that. */
  send(command: string, headers: Record<string, string> = {}, body = ""): Frame[] {
    return this.raw(serializeFrame(this.#version, command, Object.entries(headers), body));
  }

  raw(data: string | Uint8Array): Frame[] {
    const before = this.frames.length;
    this.#connection.message(typeof data === "string" ? Buffer.from(data) : data);
    return this.frames.slice(before).filter((frame) => frame !== "beat");
  }

  connect(login: string, version: StompVersion = "1.2", headers: Record<string, string> = {}): Frame[] {
    const answer = this.send("CONNECT", { "accept-version": version, login, passcode: PASSCODE, ...headers });
    this.#version = version;
    return answer;
  }

  subscribe(terminalId: string, headers: Record<string, string> = {}): Frame[] {
    return this.send("SUBSCRIBE", { id: `sub-${terminalId}`, destination: `/topic/terminal/${terminalId}`, ...headers });
  }

  pong(): void {
    this.#connection.pong();
  }

  hangUp(): void {
    this.#connection.closed();
  }

  /** The last frame, heart-beats aside. */
  get last(): Frame | undefined {
    return this.frames.filter((frame) => frame !== "beat").at(-1);
  }

  get beats(): number {
    return this.frames.filter((frame) => frame === "beat").length;
  }

  #came(text: string): void {
    if (text === "\n") {
      this.frames.push("beat");
      return;
    }
    const parser = new FrameParser({
      commandBytesMax: 16,
      headerLineBytesMax: 5_000,
      headersMax: 20,
      headerBytesMax: 20_000,
      bodyBytesMax: 1e6,
      unreadBytesMax: 1e6,
    });
    parser.version = this.#version;
    parser.feed(Buffer.from(text));
    for (let frame = parser.next(); frame !== null; frame = parser.next()) this.frames.push(plain(frame));
  }
}

export interface Frame {
  command: string;
  headers: Record<string, string>;
  body: string;
}

function plain(frame: StompFrame): Frame {
  return { command: frame.command, headers: Object.fromEntries(frame.headers), body: Buffer.from(frame.body).toString() };
}

/** A terminal that is connected and subscribed to its own topic. */
export function connectedTerminal(
  world: World,
  terminalId: string,
  headers: Record<string, string> = {},
  version: StompVersion = "1.2",
): FakeTerminal {
  const terminal = new FakeTerminal(world);
  terminal.connect(terminalId, version);
  terminal.subscribe(terminalId, headers);
  return terminal;
}

/** A promise that the test settles. */
export function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: unknown) => void } {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

/** Lets everything that is already settled happen. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export function unavailable(): RelayError {
  return new RelayError("unavailable", "The store does not answer");
}
