import { isSameConnection, undeliveredOf, type ZvtAttachment, type ZvtOpen } from "./route-record.ts";
import type { ZvtEnded } from "./zvt-payments.ts";

/** A 06-01, as far as it decides what is done. */
export interface BeginFacts {
  readonly amountCents: number;
  readonly currency: string;
  readonly attached: ZvtAttachment;
  readonly atMs: number;
  /** Whether the connection that the open payment is attached to may still be there. */
  readonly isAttachedOpen: boolean;
  /** Whether the relay knows a command of the open payment; asked for one that has not ended. */
  readonly isKnown: boolean;
  readonly reattachMs: number;
}

/**
 * `new`: a payment of its own; an approved one that was not delivered is told to operators. `reattach`: the open one, which is the same sale; `resend`: it
 * never came to be a command. `deliver`: its stored result. `giveUp`: its uuid is claimed as cancelled, and then it is decided again. `busy`: nothing.
 */
export type BeginDecision =
  | { readonly type: "new" }
  | { readonly type: "reattach"; readonly resend: boolean }
  | { readonly type: "deliver"; readonly outcome: ZvtEnded }
  | { readonly type: "giveUp" }
  | { readonly type: "busy" };

const NEW = { type: "new" } as const;
const BUSY = { type: "busy" } as const;

/** What a 06-01 is, where this payment is open: never a second charge for one sale, and never one customer's result for another. Pure; the table is in its test. */
export function decideBegin(open: ZvtOpen | null, facts: BeginFacts): BeginDecision {
  if (open === null || open.delivered) return NEW;
  const isSame = open.amountCents === facts.amountCents && open.currency === facts.currency;
  if (!isSame && isKeptForAnother(open, facts)) return BUSY;
  if (open.outcome?.type === "unknown") return isSame ? BUSY : NEW;
  const kept = undeliveredOf(open);
  if (kept !== null) return decideKept(open, kept, isSame, facts);
  // Two payments on one connection are no repeat.
  const isRepeat = isSame && !isSameConnection(open.attached, facts.attached) && mayTakeOver(open, facts);
  if (facts.isKnown) return isRepeat ? { type: "reattach", resend: false } : BUSY;
  if (isRepeat) return { type: "reattach", resend: true };
  return isThere(open, facts) ? BUSY : { type: "giveUp" };
}

function decideKept(open: ZvtOpen, outcome: ZvtEnded, isSame: boolean, facts: BeginFacts): BeginDecision {
  // The register there may be about to acknowledge it.
  if (!isSameConnection(open.attached, facts.attached) && !mayTakeOver(open, facts)) return BUSY;
  return isSame && isWithinReattach(open, facts) ? { type: "deliver", outcome } : NEW;
}

/** A route has one open payment. A sale of another register in its place would have the first one's repeat charged as a sale of its own. */
function isKeptForAnother(open: ZvtOpen, facts: BeginFacts): boolean {
  const mayBeCharged = open.outcome?.type === "unknown" || open.outcome?.type === "paid";
  return mayBeCharged && open.attached.address !== facts.attached.address && isWithinReattach(open, facts);
}

function isWithinReattach(open: ZvtOpen, { atMs, reattachMs }: BeginFacts): boolean {
  return atMs <= Math.max(open.endedAtMs ?? 0, open.disconnectedAtMs ?? 0) + reattachMs;
}

/** The earlier connection is gone, or it is of the same register and nothing was ever heard on it: its answer may have been lost. */
function mayTakeOver(open: ZvtOpen, facts: BeginFacts): boolean {
  return !isThere(open, facts) || (open.attached.address === facts.attached.address && !open.heard);
}

function isThere(open: ZvtOpen, { isAttachedOpen }: BeginFacts): boolean {
  return isAttachedOpen && open.disconnectedAtMs === null;
}
