import type { FollowUp, LinkRecord } from "../links/link.ts";
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
    if (shop === undefined || before === null || !beginsReturn(record, before)) return NOTHING;
    const { isHeld, checks } = await holds.check({ merchantId: shop, uuid: txId });
    return isHeld ? "refused" : { checks, operations: [] };
  };
}

/** What was begun before is gone on with: the gateway may have executed it. */
function beginsReturn({ followUps }: LinkRecord, before: LinkRecord): boolean {
  return followUps.some((one) => isReturn(one) && !before.followUps.some(({ id }) => id === one.id));
}

function isReturn({ type, state }: FollowUp): boolean {
  return type !== "capture" && state === "requested";
}
