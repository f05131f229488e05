import type { Address } from "../../engine/kernel/bus.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { Batch, Message } from "./thread-protocol.ts";

/** Messages sent and not yet processed at the other end; beyond it the peer counts as full. A port itself has an unlimited buffer. */
const UNCONSUMED_MAX = 50_000;

/** After this many messages their processing is acknowledged, even if there is nothing else to send. */
const ACKNOWLEDGE_EVERY = 1_000;

/** The part of MessagePort that is used. */
export interface BatchPort {
  postMessage(batch: Batch): void;
  on(event: "message", listener: (batch: Batch) => void): unknown;
  on(event: "close", listener: () => void): unknown;
  close(): void;
}

interface PeerEvents {
  onMessage: (message: Message) => void;
  /** The thread at the other end has closed its port or ended. */
  onGone: () => void;
  onUnsendable: (message: Message, error: unknown, peer: Peer) => void;
}

/** The thread at the other end of a port. It batches all messages of a turn, and knows how many were processed. */
export class Peer {
  readonly address: Address;
  readonly #port: BatchPort;
  readonly #timers: Timers;
  readonly #events: PeerEvents;
  #outbox: Message[] = [];
  #flushScheduled = false;
  #sent = 0;
  #consumedThere = 0;
  #consumedHere = 0;
  #acknowledged = 0;
  #gone = false;

  constructor(address: Address, port: BatchPort, timers: Timers, events: PeerEvents) {
    this.address = address;
    this.#port = port;
    this.#timers = timers;
    this.#events = events;
    port.on("message", (batch: Batch) => this.#receive(batch));
    port.on("close", () => {
      this.#gone = true;
      this.#outbox = [];
      events.onGone();
    });
  }

  get gone(): boolean {
    return this.#gone;
  }

  /**
   * True if so many messages wait at the other end that requests and messages are refused. Responses are still sent: the number of requests
   * limits them.
   */
  get full(): boolean {
    return this.#sent + this.#outbox.length - this.#consumedThere >= UNCONSUMED_MAX;
  }

  send(message: Message): void {
    if (this.#gone) return;
    this.#outbox.push(message);
    this.#scheduleFlush();
  }

  close(): void {
    this.#flush();
    this.#gone = true;
    this.#port.close();
  }

  #receive(batch: Batch): void {
    this.#consumedThere = batch.consumed;
    for (const message of batch.messages) this.#events.onMessage(message);
    this.#consumedHere += batch.messages.length;
    if (this.#consumedHere - this.#acknowledged >= ACKNOWLEDGE_EVERY) this.#scheduleFlush();
  }

  #scheduleFlush(): void {
    if (this.#flushScheduled) return;
    this.#flushScheduled = true;
    this.#timers.soon(() => {
      this.#flushScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (this.#gone) return;
    const messages = this.#outbox;
    if (messages.length === 0 && this.#consumedHere - this.#acknowledged < ACKNOWLEDGE_EVERY) return;
    this.#outbox = [];
    try {
      this.#post(messages);
    } catch {
      // One of the messages cannot be cloned, and nothing of the batch was sent.
      for (const message of messages) this.#postAlone(message);
    }
  }

  #postAlone(message: Message): void {
    try {
      this.#post([message]);
    } catch (error) {
      this.#events.onUnsendable(message, error, this);
    }
  }

  #post(messages: Message[]): void {
    const batch: Batch = { consumed: this.#consumedHere, messages };
    this.#port.postMessage(batch);
    this.#sent += messages.length;
    this.#acknowledged = this.#consumedHere;
  }
}
