import type { Address } from "../../../engine/kernel/bus.ts";

/** The part of a shard's address that stays the same over restarts of its node. */
export function weightName(address: Address): string {
  return address.replace(/#[0-9a-f]+\//, "/");
}

export function nodeIdOf(address: Address): string {
  const hash = address.indexOf("#");
  return hash === -1 ? address : address.slice(0, hash);
}
