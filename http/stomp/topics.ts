import type { Caller } from "../../engine/access/caller.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { DeviceInfo } from "../../engine/sessions/presence.ts";
import type { SessionSocket } from "../../engine/sessions/terminal-sessions.ts";
import { readAcknowledgement, readSubscribe, readUnsubscribe } from "./client-frames.ts";
import type { StompFrame, StompVersion } from "./frame.ts";
import type { StompHost } from "./host.ts";
import { messageFrame } from "./server-frames.ts";
import { type Subscription, SubscriptionBook } from "./subscriptions.ts";

/** Whom a session speaks for, settled at CONNECT. */
export interface SessionPeer {
  sessionId: string;
  version: StompVersion;
  caller: Caller;
  device: DeviceInfo;
}

/** The way out to the terminal. */
export interface MessageWriter {
  /** False when the session takes no more messages. */
  readonly writable: boolean;
  write(text: string): "taken" | "dropped";
  /** Ends the session with an ERROR once the engine has got its answer. */
  failSoon(error: RelayError): void;
}

/** One subscription, as the engine sees it. */
class TopicSocket implements SessionSocket {
  readonly #topics: SessionTopics;
  readonly #subscription: Subscription;

  constructor(topics: SessionTopics, subscription: Subscription) {
    this.#topics = topics;
    this.#subscription = subscription;
  }

  deliver(uuid: string | null, text: string): boolean {
    return this.#topics.deliver(this.#subscription, uuid, text);
  }
}

/**
 * The topics of a connected session: which ones it may subscribe to, the deliveries on them, and the messages that wait for ACK or NACK.
 */
export class SessionTopics {
  readonly #host: StompHost;
  readonly #peer: SessionPeer;
  readonly #writer: MessageWriter;
  readonly #book = new SubscriptionBook();
  #identity: string | null;
  #messageCount = 0;
  #subscriptionCount = 0;

  constructor(host: StompHost, peer: SessionPeer, writer: MessageWriter) {
    this.#host = host;
    this.#peer = peer;
    this.#writer = writer;
    this.#identity = peer.caller.type === "terminal" ? peer.caller.terminalId : null;
  }

  /** The terminal that the session is; under a shared credential or none, that of its first topic, and null until then. */
  get identity(): string | null {
    return this.#identity;
  }

  get caller(): Caller {
    return this.#peer.caller;
  }

  /** True for credentials that a terminal can have. */
  get isTerminal(): boolean {
    return this.caller.type === "terminal" || this.caller.type === "fleet" || this.caller.type === "anonymous";
  }

  /** Whether the session may take a terminal's topic and post for it. */
  mayTake(terminalId: string): boolean {
    return this.#identity !== null && this.#host.mayTake(this.#identity, terminalId);
  }

  /** As whom the session posts a result of this terminal. */
  senderFor(terminalId: string): { type: "sender"; caller: Caller; identity: string } | { type: "refused"; reason: string } {
    if (!this.isTerminal) return { type: "refused", reason: "Only a terminal's credential can send" };
    if (this.#identity === null) return { type: "refused", reason: "Subscribe to the terminal's own topic before sending" };
    if (!this.mayTake(terminalId)) return { type: "refused", reason: "No whitelist rule allows this terminal to act for that one" };
    return { type: "sender", caller: this.caller, identity: this.#identity };
  }

  /**
   * SUBSCRIBE. Null when commands come from now on; else resolves when they do (`TerminalSessions.open`).
   * Throws RelayError `forbidden`, `conflict`, `too_busy` or `invalid_request`.
   */
  subscribe(frame: StompFrame): Promise<void> | null {
    const { sessionId, version, device } = this.#peer;
    const request = readSubscribe(frame, version);
    const { terminalId, ackMode } = request;
    if (!this.isTerminal) throw new RelayError("forbidden", "Only a terminal's credential can subscribe");
    if (!this.#host.mayTake(this.#identity ?? terminalId, terminalId)) {
      const own = this.#identity === null || this.#identity === terminalId;
      const reason = own ? "The terminal's access was withdrawn" : "No whitelist rule allows this terminal to subscribe to that topic";
      throw new RelayError("forbidden", reason);
    }
    const engineSessionId = `${sessionId}/${this.#subscriptionCount}`;
    const subscription: Subscription = { id: request.id, terminalId, destination: request.destination, ackMode, engineSessionId };
    this.#book.add(subscription);
    this.#subscriptionCount += 1;
    this.#identity ??= terminalId;
    const own = this.#identity === terminalId;
    // Under a shared credential who a session is, is only claimed: it gets nothing again that another device may be executing.
    const redeliver = request.redeliver && own && this.caller.type === "terminal";
    this.#host.onEvent({ type: "subscribed", sessionId, terminalId, own });
    const greeting = own ? (this.#host.greeting?.(terminalId) ?? null) : null;
    if (greeting !== null) this.deliver(subscription, null, greeting);
    return this.#host.terminals.open(
      { terminalId, sessionId: engineSessionId, own, acknowledges: ackMode !== "auto", redeliver, device },
      new TopicSocket(this, subscription),
    );
  }

  /** UNSUBSCRIBE. Throws RelayError `not_found` or `invalid_request`. */
  unsubscribe(frame: StompFrame): void {
    const subscription = this.#book.remove(readUnsubscribe(frame, this.#peer.version));
    if (subscription === null) throw new RelayError("not_found", "This session has no such subscription");
    this.#host.terminals.close(subscription.terminalId, subscription.engineSessionId);
  }

  /** ACK and NACK. Throws RelayError `invalid_request`; a message that does not wait for either is not an error. */
  settle(frame: StompFrame): void {
    const { messageId, subscriptionId } = readAcknowledgement(frame, this.#peer.version);
    const settled = this.#book.settle(messageId, subscriptionId);
    if (settled === null || settled.uuids.length === 0) return;
    const { terminalId, engineSessionId } = settled.subscription;
    if (frame.command === "ACK") this.#host.terminals.acknowledge(terminalId, engineSessionId, settled.uuids);
    else this.#host.terminals.refuse(terminalId, engineSessionId, settled.uuids);
  }

  /** A sign of life of one subscribed terminal, or of all. */
  active(terminalId?: string): void {
    for (const subscription of this.#book.all()) {
      if (terminalId !== undefined && subscription.terminalId !== terminalId) continue;
      this.#host.terminals.active(subscription.terminalId, subscription.engineSessionId);
    }
  }

  /** True when the whitelist still allows every topic. */
  allowed(): boolean {
    for (const { terminalId } of this.#book.all()) {
      if (!this.mayTake(terminalId)) return false;
    }
    return true;
  }

  /** Ends all subscriptions; the engine decides what happens to their unacknowledged messages. */
  close(): void {
    for (const { terminalId, engineSessionId } of this.#book.clear()) this.#host.terminals.close(terminalId, engineSessionId);
  }

  /** Writes one message of a subscription (`SessionSocket`). */
  deliver(subscription: Subscription, uuid: string | null, text: string): boolean {
    if (!this.#writer.writable || !this.#book.has(subscription)) return false;
    const acknowledges = subscription.ackMode !== "auto";
    if (acknowledges && this.#book.full) {
      this.#writer.failSoon(new RelayError("too_busy", "Too many messages are waiting for ACK or NACK"));
      return false;
    }
    this.#messageCount += 1;
    const messageId = `m${this.#messageCount}`;
    if (this.#writer.write(messageFrame(this.#peer.version, subscription, messageId, text)) === "dropped") return false;
    if (acknowledges) this.#book.expect(messageId, subscription, uuid);
    return true;
  }
}
