import type { AddressInfo } from "node:net";
import { Client, type IFrame, type IMessage, type StompConfig, Versions } from "@stomp/stompjs";
import { WebSocket, WebSocketServer } from "ws";
import type { SubscriptionRule } from "../../../engine/access/terminal-rule.ts";
import { compileTopicAccess } from "../../../engine/access/topic-access.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { withDelivery } from "../../../engine/payments/command.ts";
import type { OpenSession, SessionSocket, TerminalSessions } from "../../../engine/sessions/terminal-sessions.ts";
import { createPatternCompiler } from "../../../http/auth/pattern.ts";
import type { ResultSend, StompHost } from "../../../http/stomp/host.ts";
import { WEBSOCKET_MESSAGE_BYTES_MAX } from "../../../http/stomp/limits.ts";
import { chooseSubprotocol } from "../../../http/stomp/negotiation.ts";
import { createStompSessions } from "../../../http/stomp/sessions.ts";

/** A relay made of the real sessions, a queue in place of the engine, and `ws` in place of the server. */
export interface Relay {
  url: string;
  /** Puts a command in the terminal's queue. */
  pay(terminalId: string, uuid: string): void;
  posted: ResultSend[];
  /** What was acknowledged and refused, in order. */
  settled: string[];
  activities: number;
  /** Heart-beats that came. */
  beats: number;
  /** Reasons of sessions that ended. */
  ended: Inbox<string>;
  stop(): Promise<void>;
}

interface Waiting {
  uuid: string;
  attempt: number;
}

/** Delivers as the engine does: once, again after a NACK, and again to a client that remembers uuids. */
function createQueue(settled: string[], active: () => void) {
  const waiting = new Map<string, Waiting[]>();
  const live = new Map<string, { session: OpenSession; socket: SessionSocket; sent: Waiting[] }>();

  function flow(terminalId: string): void {
    for (const entry of live.values()) {
      if (entry.session.terminalId !== terminalId) continue;
      for (let next = waiting.get(terminalId)?.shift(); next !== undefined; next = waiting.get(terminalId)?.shift()) {
        const payload = JSON.stringify({ uuid: next.uuid, service: "PAYCC", amount: 100, terminalId });
        const delivered = entry.socket.deliver(
          next.uuid,
          withDelivery(payload, { expiresAtMs: 60_000, serverTimeMs: 0, attempt: next.attempt }),
        );
        if (!delivered) {
          putBack(terminalId, [next]);
          return;
        }
        entry.sent.push({ uuid: next.uuid, attempt: next.attempt + 1 });
      }
    }
  }

  function putBack(terminalId: string, entries: Waiting[]): void {
    waiting.set(terminalId, [...entries, ...(waiting.get(terminalId) ?? [])]);
  }

  function take(sessionId: string, uuids: readonly string[]): Waiting[] {
    const session = live.get(sessionId);
    const taken = session?.sent.filter(({ uuid }) => uuids.includes(uuid)) ?? [];
    if (session !== undefined) session.sent = session.sent.filter(({ uuid }) => !uuids.includes(uuid));
    return taken;
  }

  const terminals: TerminalSessions = {
    open(session, socket) {
      live.set(session.sessionId, { session, socket, sent: [] });
      flow(session.terminalId);
      return null;
    },
    close(terminalId, sessionId) {
      const ended = live.get(sessionId);
      live.delete(sessionId);
      if (ended?.session.redeliver === true) putBack(terminalId, ended.sent);
    },
    active,
    acknowledge(_, sessionId, uuids) {
      take(sessionId, uuids);
      settled.push(`ack ${uuids.join(",")}`);
    },
    refuse(terminalId, sessionId, uuids) {
      settled.push(`nack ${uuids.join(",")}`);
      putBack(terminalId, take(sessionId, uuids));
      flow(terminalId);
    },
  };
  return {
    terminals,
    add(terminalId: string, uuid: string) {
      waiting.set(terminalId, [...(waiting.get(terminalId) ?? []), { uuid, attempt: 1 }]);
      flow(terminalId);
    },
  };
}

export const PASSCODE = "right";

export async function startRelay(rules: SubscriptionRule[] = []): Promise<Relay> {
  const settled: string[] = [];
  const posted: ResultSend[] = [];
  const topicAccess = compileTopicAccess(rules, createPatternCompiler());
  let ids = 0;
  const queue = createQueue(settled, () => {
    relay.activities += 1;
  });
  const host: StompHost = {
    // Both by the clock that a test may stop.
    clock: { nowMs: () => Date.now(), monotonicMs: () => Date.now() },
    ids: {
      uuid: () => {
        ids += 1;
        return `s${ids}`;
      },
    },
    serverName: "terminal-relay",
    anonymousAllowed: false,
    authenticate: async (login, passcode) => (passcode === PASSCODE ? { type: "terminal", terminalId: login } : null),
    mayTake: (identity, target) => topicAccess.mayTake(identity, target),
    async recordResult(send) {
      if (!send.bodyText.includes('"result"')) throw new RelayError("invalid_request", "The result names no outcome");
      posted.push(send);
      return { type: "recorded" };
    },
    keepUnread: async () => {},
    onEvent: (event) => {
      if (event.type === "ended") relay.ended.add(event.reason);
    },
    terminals: queue.terminals,
  };
  const sessions = createStompSessions(host, { sendMs: 50, wantMs: 50 });
  const server = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    maxPayload: WEBSOCKET_MESSAGE_BYTES_MAX,
    handleProtocols: (offered) => chooseSubprotocol([...offered].join(",")) ?? false,
  });
  server.on("connection", (socket) => {
    socket.binaryType = "nodebuffer";
    const connection = sessions.open(
      {
        send(text) {
          if (socket.readyState !== WebSocket.OPEN) return "dropped";
          socket.send(text);
          return socket.bufferedAmount > 0 ? "buffered" : "sent";
        },
        bufferedBytes: () => socket.bufferedAmount,
        close: (code, reason) => socket.close(code, reason.slice(0, 120)),
        terminate: () => socket.terminate(),
        loggedIn: () => {},
      },
      { caller: null },
    );
    socket.on("message", (data) => {
      if (!(data instanceof Uint8Array)) return;
      connection.message(data);
      if (String(data) === "\n") relay.beats += 1;
    });
    socket.on("pong", () => connection.pong());
    socket.on("close", () => connection.closed());
    // `ws` closes the socket itself after an error of the peer (a message too large).
    socket.on("error", () => {});
  });
  await new Promise((resolve) => server.once("listening", resolve));
  const ticking = setInterval(() => sessions.tick(), 10);
  const { port } = server.address() as AddressInfo;
  const relay: Relay = {
    url: `ws://127.0.0.1:${port}/ws`,
    pay: (terminalId, uuid) => queue.add(terminalId, uuid),
    posted,
    settled,
    activities: 0,
    beats: 0,
    ended: new Inbox(),
    async stop() {
      clearInterval(ticking);
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return relay;
}

/** What comes is awaited in order. */
export class Inbox<T> {
  readonly #items: T[] = [];
  readonly #waiters: ((item: T) => void)[] = [];

  add(item: T): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#items.push(item);
    else waiter(item);
  }

  next(): Promise<T> {
    const item = this.#items.shift();
    if (item !== undefined) return Promise.resolve(item);
    return new Promise((resolve) => this.#waiters.push(resolve));
  }
}

/** A real STOMP client. */
export interface StompTerminal {
  client: Client;
  connected: IFrame;
  errors: Inbox<IFrame>;
  closes: Inbox<{ code: number }>;
  subscribe(terminalId: string, headers?: Record<string, string>): Inbox<IMessage>;
  /** Sends with a receipt and resolves with its RECEIPT. */
  post(destination: string, body: string): Promise<IFrame>;
}

export async function connectTerminal(
  relay: Relay,
  login: string,
  config: StompConfig & { version?: string } = {},
): Promise<StompTerminal> {
  const { version, ...options } = config;
  const versions = new Versions(version === undefined ? [Versions.V1_2, Versions.V1_1, Versions.V1_0] : [version]);
  const client = new Client({
    webSocketFactory: () => new WebSocket(relay.url, versions.protocolVersions()),
    stompVersions: versions,
    connectHeaders: { login, passcode: PASSCODE },
    reconnectDelay: 0,
    heartbeatIncoming: 0,
    heartbeatOutgoing: 0,
    ...options,
  });
  const errors = new Inbox<IFrame>();
  const closes = new Inbox<{ code: number }>();
  client.onStompError = (frame) => errors.add(frame);
  client.onWebSocketClose = (event: { code: number }) => closes.add(event);
  const connected = await new Promise<IFrame>((resolve, reject) => {
    client.onConnect = resolve;
    client.onStompError = (frame) => {
      errors.add(frame);
      reject(new Error(frame.headers["message"]));
    };
    client.activate();
  });
  let receipts = 0;
  return {
    client,
    connected,
    errors,
    closes,
    subscribe(terminalId, headers = {}) {
      const inbox = new Inbox<IMessage>();
      client.subscribe(`/topic/terminal/${terminalId}`, (message) => inbox.add(message), headers);
      return inbox;
    },
    post(destination, body) {
      receipts += 1;
      const receipt = `receipt-${receipts}`;
      return new Promise((resolve) => {
        client.watchForReceipt(receipt, resolve);
        client.publish({ destination, body, headers: { receipt } });
      });
    },
  };
}
