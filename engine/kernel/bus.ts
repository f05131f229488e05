/**
 * The destination of a message: a shard (`shard-0`) or the main thread (`main`) of this node, or of
 * another node in a cluster.
 */
export type Address = string;

/**
 * A protocol names the request and the response of each kind of message. All its values survive a
 * structured clone and msgpack.
 */
export type Protocol<P> = { [Kind in keyof P]: { request: unknown; response: unknown } };

/**
 * Sends messages between threads and nodes, batched per turn of the event loop. Delivery is at most
 * once: a message can be lost with its receiver, and a `request` then ends at its deadline with
 * RelayError `unavailable`.
 */
export interface Bus<P extends Protocol<P>> {
  readonly self: Address;
  /** All addresses that can be the home of terminals, including this one, in a fixed order. */
  readonly shards: readonly Address[];
  /**
   * Sends a request. `gone` is for requests that only wait or read. Once it is aborted, the
   * response is no longer needed: the request is rejected with its reason, and a handler within the
   * node is notified.
   */
  request<Kind extends keyof P & string>(
    to: Address,
    kind: Kind,
    request: P[Kind]["request"],
    timeoutMs: number,
    gone?: AbortSignal,
  ): Promise<P[Kind]["response"]>;
  send<Kind extends keyof P & string>(to: Address, kind: Kind, request: P[Kind]["request"]): void;
  /**
   * Registers the only handler of a kind. A RelayError that it throws reaches the requester with
   * its code. Other errors arrive as `internal`.
   */
  handle<Kind extends keyof P & string>(
    kind: Kind,
    handler: (request: P[Kind]["request"], from: Address, gone?: AbortSignal) => P[Kind]["response"] | Promise<P[Kind]["response"]>,
  ): void;
}

/**
 * The homes of terminals. Within a node they never change; in a cluster they depend on the live
 * nodes, and two nodes may disagree for a moment. The home only makes a terminal fast; correctness
 * comes from the store's version checks.
 */
export interface Homes {
  homeOf(terminalId: string): Address;
  /** The shards of all live nodes, including the shards of this node. */
  shards(): readonly Address[];
  /** The listener is called after each change of the shards. */
  onChange(listener: () => void): void;
}
