import type { Address } from "./bus.ts";

/**
 * Where terminals live. Within a node that never changes; in a cluster it follows the live nodes, and two nodes may differ for a moment:
 * home is where a terminal is fast, the store's version checks decide what is right.
 */
export interface Homes {
  homeOf(terminalId: string): Address;
  /** The shards of all live nodes, the own among them. */
  shards(): readonly Address[];
  /** Called after each change of the shards. */
  onChange(listener: () => void): void;
}
