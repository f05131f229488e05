import { NOTHING_ELSE, type ObjectRow, objectVersion } from "../payments/object-row.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import { amountOf, type FollowUp, type LinkRecord } from "./link.ts";
import type { Accompanied, LinkCompanion } from "./link-companion.ts";

const NOTHING: Accompanied = { checks: [], operations: [] };

export interface RefundRowsOptions {
  /** Whether a merchant's money is real; null where there is no such merchant. */
  isLive(merchantId: string): Promise<boolean | null>;
}

/** Feeds what is given back of merchants' payments by link, in the commits that begin it and in which its outcome becomes known. */
export function createRefundRows({ isLive }: RefundRowsOptions): LinkCompanion {
  return async ({ record, before, atMs }) => {
    const { shop } = record.order;
    // Few of a link's steps are about that, and the store is read for those only.
    if (shop === undefined || before === null || record.followUps === before.followUps) return NOTHING;
    const livemode = await isLive(shop);
    if (livemode === null) return NOTHING;
    return { checks: [], operations: objectRowOperations(refundRows(before, livemode), refundRows(record, livemode), atMs) };
  };
}

/** What was given back of a payment by link, or may have been, is in reports; nothing of one that is no merchant's. */
export function refundRows(link: LinkRecord, livemode: boolean): readonly ObjectRow[] {
  const { shop: merchantId, txId } = link.order;
  if (merchantId === undefined) return [];
  const { currency } = amountOf(link);
  return link.followUps
    .filter(({ type }) => type !== "capture")
    .map((entry) => ({
      ...NOTHING_ELSE,
      ...{ type: "object", version: versionOf(entry), merchantId, livemode, object: "refund", id: entry.id },
      ...{ createdAtMs: entry.begun?.firstAtMs ?? entry.requestedAtMs, state: stateOf(entry), category: entry.by ?? "" },
      ...{ amountMinor: entry.amountMinor, currency, uuid: txId, endedAtMs: entry.finishedAtMs },
    }));
}

function stateOf({ state }: FollowUp): "unknown" | "done" | "refused" {
  return state === "requested" ? "unknown" : state;
}

/** It is begun and ends, as often as it is begun; what was done stays so. */
function versionOf({ state, begun }: FollowUp): number {
  const times = begun?.times ?? 1;
  return objectVersion(state === "done", 2 * times - (state === "requested" ? 1 : 0));
}
