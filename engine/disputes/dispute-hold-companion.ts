import { begunBy } from "../links/link.ts";
import type { Accompanied, LinkCompanion } from "../links/link-companion.ts";
import type { DisputeHoldStore } from "./dispute-hold-store.ts";

const NOTHING: Accompanied = { checks: [], operations: [] };

/**
 * Checks, in the commit that begins a refund or reversal of a link, that there is no dispute.
 * Callers ask the store before, so that they can report the reason.
 */
export function createDisputeHoldCompanion(holds: Pick<DisputeHoldStore, "check">): LinkCompanion {
  return async ({ record, before }) => {
    const { shop, txId } = record.order;
    if (shop === undefined || before === null || !begunBy({ record, before }).some(({ type }) => type !== "capture")) return NOTHING;
    const { isHeld, checks } = await holds.check({ merchantId: shop, uuid: txId });
    return isHeld ? "refused" : { checks, operations: [] };
  };
}
