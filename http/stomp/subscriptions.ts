import { RelayError } from "../../engine/kernel/errors.ts";
import { SUBSCRIPTIONS_PER_SESSION_MAX, UNACKNOWLEDGED_PER_SESSION_MAX } from "./limits.ts";

export type AckMode = "auto" | "client" | "client-individual";

/** One subscription of a session to one terminal's topic. */
export interface Subscription {
  /** As the client named it; undefined for a 1.0 client that did not. */
  id: string | undefined;
  terminalId: string;
  destination: string;
  ackMode: AckMode;
  /** Identifies this subscription to the engine. */
  engineSessionId: string;
}

/** Messages sent and not acknowledged; `uuid` is null for a message that is not a command. */
interface Unacknowledged {
  subscription: Subscription;
  uuid: string | null;
}

/** The subscriptions of a session and what is unacknowledged in them, both bounded. */
export class SubscriptionBook {
  readonly #byDestination = new Map<string, Subscription>();
  /** In the order in which they were sent; null until there is one, which most sessions never have. */
  #unacknowledged: Map<string, Unacknowledged> | null = null;

  /** True if one more message that requires an ACK would exceed the limit. */
  get full(): boolean {
    return this.#unacknowledged !== null && this.#unacknowledged.size >= UNACKNOWLEDGED_PER_SESSION_MAX;
  }

  all(): Iterable<Subscription> {
    return this.#byDestination.values();
  }

  has(subscription: Subscription): boolean {
    return this.#byDestination.get(subscription.destination) === subscription;
  }

  /** Takes everything out and answers with the subscriptions that there were. */
  clear(): Subscription[] {
    const subscriptions = [...this.#byDestination.values()];
    this.#byDestination.clear();
    this.#unacknowledged = null;
    return subscriptions;
  }

  /** Throws RelayError `conflict` for a destination or id that is taken, `too_busy` at the bound. */
  add(subscription: Subscription): void {
    if (this.#byDestination.has(subscription.destination)) {
      throw new RelayError("conflict", "This session is subscribed to that destination already");
    }
    if (subscription.id !== undefined && this.#byId(subscription.id) !== undefined) {
      throw new RelayError("conflict", "This session has a subscription with that id already");
    }
    if (this.#byDestination.size >= SUBSCRIPTIONS_PER_SESSION_MAX) {
      throw new RelayError("too_busy", `A session has at most ${SUBSCRIPTIONS_PER_SESSION_MAX} subscriptions`);
    }
    this.#byDestination.set(subscription.destination, subscription);
  }

  /** Removes a subscription by id or, for STOMP 1.0, by destination, with its unacknowledged messages. */
  remove(key: { id: string | undefined; destination: string | undefined }): Subscription | null {
    const byId = key.id === undefined ? undefined : this.#byId(key.id);
    const subscription =
      byId ?? (key.id === undefined && key.destination !== undefined ? this.#byDestination.get(key.destination) : undefined);
    if (subscription === undefined) return null;
    this.#byDestination.delete(subscription.destination);
    for (const [messageId, waiting] of this.#unacknowledged ?? []) {
      if (waiting.subscription === subscription) this.#unacknowledged?.delete(messageId);
    }
    return subscription;
  }

  /** Remembers that a message waits for ACK or NACK. */
  expect(messageId: string, subscription: Subscription, uuid: string | null): void {
    this.#unacknowledged ??= new Map();
    this.#unacknowledged.set(messageId, { subscription, uuid });
  }

  /**
   * Removes the messages to which an ACK or NACK of `messageId` applies, oldest first: all up to it in its subscription for `client`,
   * itself for `client-individual`. Null for a message that does not wait (acknowledged before, unsubscribed since), which is not an error.
   * Throws RelayError `invalid_request` when the client names another subscription than the message's.
   */
  settle(messageId: string, subscriptionId: string | undefined): { subscription: Subscription; uuids: string[] } | null {
    const unacknowledged = this.#unacknowledged;
    const named = unacknowledged?.get(messageId);
    if (unacknowledged === null || named === undefined) return null;
    const { subscription } = named;
    if (subscriptionId !== undefined && subscriptionId !== subscription.id) {
      throw new RelayError("invalid_request", "The message belongs to another subscription");
    }
    const uuids: string[] = [];
    for (const [id, waiting] of unacknowledged) {
      const settled = id === messageId || (subscription.ackMode === "client" && waiting.subscription === subscription);
      if (settled) {
        unacknowledged.delete(id);
        if (waiting.uuid !== null) uuids.push(waiting.uuid);
      }
      if (id === messageId) break;
    }
    return { subscription, uuids };
  }

  #byId(id: string): Subscription | undefined {
    for (const subscription of this.#byDestination.values()) {
      if (subscription.id === id) return subscription;
    }
    return undefined;
  }
}
