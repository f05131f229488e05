import type { Address, Bus, Protocol } from "../../../engine/kernel/bus.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import { OutstandingRequests } from "../outstanding-requests.ts";
import { errorOf, failureOf, INTERNAL } from "../thread-protocol.ts";
import { type ClusterMessage, decodeMessages, encodeMessages } from "./envelope.ts";

/** A shard's address in the cluster. */
export function clusterAddress(incarnation: string, shard: Address): Address {
  return `${incarnation}/${shard}`;
}

/** The node of a cluster address, or null for one of this node's threads (`main`). */
export function incarnationOf(address: Address): string | null {
  const slash = address.indexOf("/");
  return slash === -1 ? null : address.slice(0, slash);
}

function threadOf(address: Address): Address {
  return address.slice(address.indexOf("/") + 1);
}

/**
 * Maximum number of entries in a node's stream. A node that is further behind counts as dead, and requests to it end at their deadlines.
 */
export const STREAM_ENTRIES_MAX = 50_000;

export function streamOf(keyPrefix: string, incarnation: string): string {
  return `${keyPrefix}stream:${incarnation}`;
}

export interface ClusterProtocol {
  /** An entry of this node's stream for this shard; `entryMs` is Redis's clock when it was written. */
  "cluster.deliver": { request: { entryMs: number; bytes: Uint8Array }; response: undefined };
}

export interface ClusterBusOptions<P extends Protocol<P>> {
  threads: Bus<P & ClusterProtocol>;
  incarnation: string;
  /** Writes bytes to the stream of a node, for one of its shards; rejects if Redis cannot store them. */
  write(incarnation: string, thread: Address, bytes: Uint8Array): Promise<void>;
  /** Shards of all live nodes. */
  shards(): readonly Address[];
  clock: Clock;
  timers: Timers;
  /** Redis's clock, milliseconds. */
  redisNowMs(): number;
  outstandingMax: number;
  onError(error: unknown, context: { kind: string; from: Address }): void;
}

export interface ClusterBus<P extends Protocol<P>> extends Bus<P> {
  /** Ends requests to these shards: their nodes have left. A draining node is still a member and answers requests. */
  left(addresses: readonly Address[]): void;
  stats(): { outstanding: number };
}

/**
 * The bus of a shard in a cluster: within the node by message port, to other nodes by their streams. All messages to one shard in a turn
 * form one entry. A request that is read after its deadline (on Redis's clock) is dropped: a node that was suspended must not act on old
 * requests.
 */
export function createClusterBus<P extends Protocol<P>>(options: ClusterBusOptions<P>): ClusterBus<P> {
  const { threads, incarnation, clock, timers, outstandingMax, onError } = options;
  const self = clusterAddress(incarnation, threads.self);
  const handlers = new Map<string, (request: never, from: Address, gone?: AbortSignal) => unknown>();
  const requests = new OutstandingRequests(clock, timers, (request) => request.reject(unavailable(`${request.to} did not answer in time`)));
  let outbox = new Map<Address, ClusterMessage[]>();

  const isOwn = (address: Address) => (incarnationOf(address) ?? incarnation) === incarnation;
  const qualified = (address: Address) => (address === "main" ? address : clusterAddress(incarnation, address));

  function enqueue(message: ClusterMessage): void {
    if (outbox.size === 0) timers.soon(flush);
    const messages = outbox.get(message.to);
    if (messages === undefined) outbox.set(message.to, [message]);
    else messages.push(message);
  }

  function flush(): void {
    const sending = outbox;
    outbox = new Map();
    for (const [to, messages] of sending) {
      options.write(incarnationOf(to) ?? "", threadOf(to), encodeMessages(messages)).catch((error: unknown) => {
        // Requests that could not be sent fail at once, without waiting for their deadlines.
        for (const message of messages)
          if (message.type === "ask") requests.take(message.id)?.reject(unavailable("Redis did not accept the request"));
        onError(error, { kind: "stream", from: to });
      });
    }
  }

  function receive(message: ClusterMessage, entryMs: number): void {
    switch (message.type) {
      case "ask": {
        if (options.redisNowMs() > Math.min(entryMs, message.askedAtMs) + message.timeoutMs) return;
        const { from, id, kind } = message;
        callHandler(kind, message.body, from).then(
          (body) => enqueue({ type: "answer", from: self, to: from, id, body }),
          (error: unknown) => {
            const failure = failureOf(error);
            if (failure === null) onError(error, { kind, from });
            enqueue({ type: "failure", from: self, to: from, id, failure: failure ?? INTERNAL });
          },
        );
        return;
      }
      case "tell":
        callHandler(message.kind, message.body, message.from).catch((error: unknown) =>
          onError(error, { kind: message.kind, from: message.from }),
        );
        return;
      case "answer":
        requests.take(message.id)?.resolve(message.body);
        return;
      case "failure":
        requests.take(message.id)?.reject(errorOf(message.failure));
    }
  }

  async function callHandler(kind: string, body: unknown, from: Address): Promise<unknown> {
    const handler = handlers.get(kind);
    if (handler === undefined) throw unavailable(`${self} does not handle this yet`);
    // Messages from other nodes of this program have the type of their kind.
    return handler(body as never, from);
  }

  threads.handle("cluster.deliver", ({ entryMs, bytes }) => {
    for (const message of decodeMessages(bytes) ?? []) receive(message, entryMs);
    return undefined;
  });

  return {
    self,
    get shards() {
      return options.shards();
    },
    request: (to, kind, request, timeoutMs, gone) => {
      if (isOwn(to)) return threads.request(threadOf(to), kind, request, timeoutMs, gone);
      return new Promise((resolve, reject) => {
        if (gone?.aborted === true) return reject(gone.reason);
        if (requests.size >= outstandingMax) {
          reject(new RelayError("too_busy", "Too many requests are in progress", { retryAfterSeconds: 1 }));
          return;
        }
        const leaving = gone === undefined ? undefined : { gone, told: () => {} };
        const id = requests.add(to, timeoutMs, (answer) => resolve(answer as P[typeof kind]["response"]), reject, leaving);
        enqueue({ type: "ask", from: self, to, id, kind, body: request, askedAtMs: options.redisNowMs(), timeoutMs });
      });
    },
    send: (to, kind, request) => {
      if (isOwn(to)) threads.send(threadOf(to), kind, request);
      else enqueue({ type: "tell", from: self, to, kind, body: request });
    },
    handle: (kind, handler) => {
      handlers.set(kind, handler);
      threads.handle(kind, (request, from, gone) => handler(request, qualified(from), gone));
    },
    left: (addresses) => {
      for (const to of addresses) for (const request of requests.takeAll(to)) request.reject(unavailable(`${to} has left`));
    },
    stats: () => ({ outstanding: requests.size }),
  };
}

function unavailable(message: string): RelayError {
  return new RelayError("unavailable", message, { retryAfterSeconds: 1 });
}
