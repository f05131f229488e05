import type { Address, Bus, Protocol } from "../../engine/kernel/bus.ts";
import type { Clock } from "../../engine/kernel/clock.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import { OutstandingRequests } from "./outstanding-requests.ts";
import { type BatchPort, Peer } from "./peer.ts";
import { errorOf, type Failure, failureOf, INTERNAL, type Message } from "./thread-protocol.ts";

export interface ThreadBusOptions {
  self: Address;
  /** All shards of the node in a fixed order. */
  shards: readonly Address[];
  /** The own ports of the mesh, by the address at their other end. */
  ports: ReadonlyMap<Address, BatchPort>;
  clock: Clock;
  timers: Timers;
  /** Requests without a response yet; one more is refused with `too_busy`. */
  outstandingMax: number;
  /** Called for errors of handlers that are not a RelayError, and for messages that could not be sent or handled. Must not throw. */
  onError?: (error: unknown, context: { kind: string; from: Address }) => void;
}

export interface ThreadBus<P extends Protocol<P>> extends Bus<P> {
  /** Ends every outstanding request with `unavailable` and closes the ports. */
  close(): void;
  /** `dropped`: messages to a thread that has ended or is too far behind. */
  stats(): { outstanding: number; dropped: number };
}

/**
 * The bus between the threads of a node. Everything for one receiver goes in one message at the end of the turn. Bodies are cloned,
 * except to oneself: a handler must not change what it is given.
 */
export function createThreadBus<P extends Protocol<P>>(options: ThreadBusOptions): ThreadBus<P> {
  const { self, shards, clock, timers, outstandingMax, onError = () => {} } = options;
  const handlers = new Map<string, (request: unknown, from: Address, gone?: AbortSignal) => unknown>();
  /** Of requests that are being handled and whose requesters may go. */
  const handled = new Map<string, AbortController>();
  const peers = new Map<Address, Peer>();
  const requests = new OutstandingRequests(clock, timers, (request) => request.reject(unavailable(`${request.to} did not answer in time`)));
  let closed = false;
  let dropped = 0;

  for (const [address, port] of options.ports) {
    const peer = new Peer(address, port, timers, {
      onMessage: (message) => receive(peer, message),
      onGone: () => {
        for (const request of requests.takeAll(address)) request.reject(unavailable(`${address} is gone`));
      },
      onUnsendable,
    });
    peers.set(address, peer);
  }

  function receive(peer: Peer, message: Message): void {
    switch (message.type) {
      case "request":
        respond(peer, message.id, message.kind, message.body, message.mayGo === true);
        return;
      case "gone":
        handled.get(keyOf(peer, message.id))?.abort(gone());
        return;
      case "send":
        deliver(peer.address, message.kind, message.body);
        return;
      case "response":
        requests.take(message.id)?.resolve(message.body);
        return;
      case "failure":
        requests.take(message.id)?.reject(errorOf(message.failure));
    }
  }

  async function callHandler(kind: string, body: unknown, from: Address, gone?: AbortSignal): Promise<unknown> {
    const handler = handlers.get(kind);
    if (handler === undefined) throw unavailable(`${self} does not handle this yet`);
    return handler(body, from, gone);
  }

  function keyOf({ address }: Peer, id: number): string {
    return `${address} ${id}`;
  }

  function respond(peer: Peer, id: number, kind: string, body: unknown, mayGo: boolean): void {
    const over = mayGo ? new AbortController() : null;
    if (over !== null) handled.set(keyOf(peer, id), over);
    const ended = () => {
      if (over !== null) handled.delete(keyOf(peer, id));
    };
    callHandler(kind, body, peer.address, over?.signal).then(
      (result) => {
        ended();
        peer.send({ type: "response", id, body: result });
      },
      (error: unknown) => {
        ended();
        // Whatever ends a handler that was told to end is not its failure.
        const failure = over?.signal.aborted === true ? INTERNAL : publicFailure(error, kind, peer.address);
        peer.send({ type: "failure", id, failure });
      },
    );
  }

  function deliver(from: Address, kind: string, body: unknown): void {
    callHandler(kind, body, from).catch((error: unknown) => onError(error, { kind, from }));
  }

  function publicFailure(error: unknown, kind: string, from: Address): Failure {
    const failure = failureOf(error);
    if (failure !== null) return failure;
    onError(error, { kind, from });
    return INTERNAL;
  }

  /** One message that cannot be cloned must not affect the others of its turn, or leave its requester waiting. */
  function onUnsendable(message: Message, error: unknown, peer: Peer): void {
    onError(error, { kind: "kind" in message ? message.kind : message.type, from: self });
    if (message.type === "request") requests.take(message.id)?.reject(errorOf(INTERNAL));
    if (message.type === "response") peer.send({ type: "failure", id: message.id, failure: INTERNAL });
  }

  function requestSelf(id: number, kind: string, body: unknown, gone?: AbortSignal): void {
    queueMicrotask(() => {
      callHandler(kind, body, self, gone).then(
        (result) => requests.take(id)?.resolve(result),
        (error: unknown) => {
          if (gone?.aborted !== true) requests.take(id)?.reject(errorOf(publicFailure(error, kind, self)));
        },
      );
    });
  }

  return {
    self,
    shards,

    request(to, kind, request, timeoutMs, gone) {
      return new Promise((resolve, reject) => {
        const peer = peers.get(to);
        if (gone?.aborted === true) return reject(gone.reason);
        if (closed || (to !== self && (peer === undefined || peer.gone))) return reject(unavailable(`${to} cannot be reached`));
        if (requests.size >= outstandingMax || peer?.full === true)
          return reject(new RelayError("too_busy", "Too many requests are in progress"));
        const told = (id: number) => peer?.send({ type: "gone", id });
        const id = requests.add(to, timeoutMs, resolve, reject, gone === undefined ? undefined : { gone, told });
        if (peer === undefined) requestSelf(id, kind, request, gone);
        else peer.send({ type: "request", id, kind, body: request, ...(gone === undefined ? {} : { mayGo: true }) });
      });
    },

    send(to, kind, request) {
      const peer = peers.get(to);
      if (to === self && !closed) queueMicrotask(() => deliver(self, kind, request));
      else if (closed || peer === undefined || peer.gone || peer.full) dropped++;
      else peer.send({ type: "send", kind, body: request });
    },

    handle(kind, handler) {
      if (handlers.has(kind)) throw new Error(`${self} handles ${kind} twice`);
      handlers.set(kind, handler);
    },

    close() {
      closed = true;
      for (const request of requests.takeAll()) request.reject(unavailable("the bus is closed"));
      for (const peer of peers.values()) peer.close();
    },

    stats: () => ({ outstanding: requests.size, dropped }),
  };
}

function unavailable(publicMessage: string): RelayError {
  return new RelayError("unavailable", publicMessage);
}

function gone(): RelayError {
  return new RelayError("request_timeout", "The caller no longer waits for this response");
}
