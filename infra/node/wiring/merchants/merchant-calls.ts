import type { Address, Bus } from "../../../../engine/kernel/bus.ts";
import { createFallbackCounts, createMinuteCounts, type MinuteCounts } from "../../../../engine/kernel/minute-counts.ts";
import { createMerchantCalls, type MerchantCalls } from "../../../../engine/partners/merchant-calls.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { STORE_OWNER } from "../../boot/shard-boot.ts";

/** Another thread of this node responds immediately unless it is busy. */
const ANSWER_MS = 1_000;

export interface MerchantCallsParts {
  address: Address;
  bus: Pick<Bus<NodeProtocol>, "handle" | "request">;
  monotonicMs(): number;
  /** The calls of merchants at all nodes; null for a single node. */
  shared: MinuteCounts | null;
}

/**
 * Counts the calls of a minute. One thread counts for all threads of a node, and the store counts
 * merchants' calls for all nodes of a cluster. Each node counts pages alone: their calls contain a
 * payment and its secret, so guessing is not a risk, and anybody could fill the shared counts.
 */
export function composeMerchantCalls({ address, bus, monotonicMs, shared }: MerchantCallsParts): MerchantCalls {
  const own = { merchants: createMinuteCounts(monotonicMs), pages: createMinuteCounts(monotonicMs) };
  const ofNode = (of: "merchants" | "pages"): MinuteCounts => {
    if (address === STORE_OWNER) return own[of];
    const asked: MinuteCounts = { take: (key, max) => bus.request(STORE_OWNER, "shard.countCall", { of, key, max }, ANSWER_MS) };
    return createFallbackCounts(asked, own[of], monotonicMs);
  };
  if (address === STORE_OWNER) bus.handle("shard.countCall", ({ of, key, max }) => own[of].take(key, max));
  const merchants = ofNode("merchants");
  return createMerchantCalls({
    merchants: shared === null ? merchants : createFallbackCounts(shared, merchants, monotonicMs),
    pages: ofNode("pages"),
  });
}
