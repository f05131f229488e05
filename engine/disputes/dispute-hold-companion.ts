import { begunBy } from "../links/link.ts";
import type { Accompanied, LinkCompanion } from "../links/link-companion.ts";
import type { DisputeHoldStore } from "./dispute-hold-store.ts";

const NOTHING: Accompanied = { checks: [], operations: [] };

/**
 * Holds the refunds of links that are under dispute: a refund or reversal begins in a commit that holds only if there is no such dispute then, whoever asks for it and whenever the
 * case arrives. Whoever gives money back asks the store first, so that it can say why; this makes sure.
 */
export function createDisputeHoldCompanion(holds: Pick<DisputeHoldStore, "check">): LinkCompanion {
  return async ({ record, before }) => {
    const { shop, txId } = record.order;
    if (shop === undefined || before === null || !begunBy({ record, before }).some(({ type }) => type !== "capture")) return NOTHING;
    const { isHeld, checks } = await holds.check({ merchantId: shop, uuid: txId });
    return isHeld ? "refused" : { checks, operations: [] };
  };
}
