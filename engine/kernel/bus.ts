/** Where a message goes: a shard (`shard-0`) or the main thread (`main`) of this node; later also of another node. */
export type Address = string;

/** A protocol names the request and the response of each kind of message. Everything in it survives a structured clone and msgpack. */
export type Protocol<P> = { [Kind in keyof P]: { request: unknown; response: unknown } };

/**
 * Messages between threads (and later nodes), batched per event-loop turn. At most once: a message can be lost with its
 * receiver, and a `request` then ends at its deadline with RelayError `unavailable`.
 */
export interface Bus<P extends Protocol<P>> {
  readonly self: Address;
  /** All addresses that can be the home of terminals, in a fixed order, including the own one. */
  readonly shards: readonly Address[];
  /**
   * `gone` is for requests that only wait or read: once it is aborted nobody wants the response any more. The request is then rejected with its reason, and within
   * a node its handler is told.
   */
  request<Kind extends keyof P & string>(
    to: Address,
    kind: Kind,
    request: P[Kind]["request"],
    timeoutMs: number,
    gone?: AbortSignal,
  ): Promise<P[Kind]["response"]>;
  send<Kind extends keyof P & string>(to: Address, kind: Kind, request: P[Kind]["request"]): void;
  /** Registers the one handler of a kind. A RelayError that it throws reaches the requester with its code; others as `internal`. */
  handle<Kind extends keyof P & string>(
    kind: Kind,
    handler: (request: P[Kind]["request"], from: Address, gone?: AbortSignal) => P[Kind]["response"] | Promise<P[Kind]["response"]>,
  ): void;
}

/**
 * The homes of terminals. Within a node they never change; in a cluster they depend on the live nodes, and two nodes may disagree for a
 * moment. The home only makes a terminal fast; correctness comes from the store's version checks.
 */
export interface Homes {
  homeOf(terminalId: string): Address;
  /** The shards of all live nodes, including the own one. */
  shards(): readonly Address[];
  /** Called after each change of the shards. */
  onChange(listener: () => void): void;
}
