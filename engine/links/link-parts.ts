import { hashOf } from "../kernel/hash.ts";

/**
 * Links are divided into this many parts, each with an index of its deadlines. A part lives where `homeOf` says, as a terminal does, and that
 * shard looks after its links: it reads its own parts only, and nobody else reads them.
 */
export const LINK_PARTS = 64;

/** The part of a link, the same on every node. */
export function partOf(txId: string): number {
  return hashOf(txId) % LINK_PARTS;
}

/** What a part is called where homes are asked for. */
export function partName(part: number): string {
  return `links/${part}`;
}
