import { amountOf, type FollowUp, type LinkRecord } from "./link.ts";

/** Why a payment by link cannot be given back as a whole now. */
export type NotRefundable =
  | "not_paid"
  | "already_refunded"
  /** A part of it was given back; the gateway gives no further part back. */
  | "partial_refund"
  /** A capture, reversal or refund is under way, or its answer was lost. */
  | "outcome_unknown"
  /** Somebody disputes it; said by whoever asks for that too. */
  | "under_dispute";

export type Refundability =
  /** `reversal` of what was not captured yet. Amounts are what would be given back. */
  { type: "possible"; by: "refund" | "reversal"; amountMinor: number; currency: string } | { type: "impossible"; reason: NotRefundable };

/**
 * Whether the whole of a payment by link can be given back, and how. Whoever shows it and whoever does it ask here, so that both say the same. It is judged again when it
 * is done, against the record as it is stored then.
 */
export function refundability(link: LinkRecord): Refundability {
  if (link.state !== "success") return impossible("not_paid");
  const standing = link.followUps.filter(({ state }) => state !== "refused");
  if (standing.some(({ state }) => state === "requested")) return impossible("outcome_unknown");
  const paid = amountOf(link);
  const given = standing.filter(({ type }) => type !== "capture");
  if (given.length > 0) return impossible(isWhole(link, given) ? "already_refunded" : "partial_refund");
  // The relay gives it back by itself: nobody wanted this payment.
  if (link.reversalOwed?.state === "owed") return impossible("outcome_unknown");
  const taken = takenMinor(link);
  const by = taken > 0 ? "refund" : "reversal";
  return { type: "possible", by, amountMinor: taken > 0 ? taken : paid.amountMinor, currency: paid.currency };
}

/** One refund is always of everything; reversals may be of parts. */
function isWhole(link: LinkRecord, given: readonly FollowUp[]): boolean {
  if (given.some(({ type }) => type === "refund")) return true;
  return given.reduce((sum, { amountMinor }) => sum + amountMinor, 0) >= amountOf(link).amountMinor;
}

/** What was captured: all of it where the gateway took it at once. */
function takenMinor(link: LinkRecord): number {
  if (link.order.capture === "now") return amountOf(link).amountMinor;
  return link.followUps.find(({ type, state }) => type === "capture" && state === "done")?.amountMinor ?? 0;
}

/** The refund or reversal of the whole that was begun and of which nobody knows: whoever asks for it again finds out what became of it. */
export function unansweredReturn({ followUps }: Pick<LinkRecord, "followUps">): "refund" | "reversal" | null {
  for (const { type, state, whole } of followUps) if (state === "requested" && whole && type !== "capture") return type;
  return null;
}

function impossible(reason: NotRefundable): Refundability {
  return { type: "impossible", reason };
}
