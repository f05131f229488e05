import type { GatewayInstrument, GatewayPayment, MinorAmount } from "../gateway/gateway.ts";

/** How a link is to be paid; fixed when it is created. */
export interface LinkOrder {
  readonly txId: string;
  readonly terminalId: string;
  /** Whose gateway account it runs on; null for the installation's own. */
  readonly partnerId: number | null;
  /** That account's merchant id, which the partner may have replaced since. Absent in links of before it was kept. */
  readonly merchantId?: string;
  /**
   * The merchant whose the payment is: the one that asked for it, else the one administered for the terminal when it was created. Absent for none, and in links
   * of before it was kept.
   */
  readonly shop?: string;
  /** Who may see it and act on it, as `senderOf` names callers. */
  readonly owner: string;
  /** Decimal, with the currency's decimals. */
  readonly amount: string;
  readonly amountMinor: number;
  readonly currency: string;
  readonly description: string | null;
  readonly merchantReference: string | null;
  /** Personal data: answered to the owner only, never logged. */
  readonly customerEmail: string | null;
  readonly instrument: GatewayInstrument;
  readonly capture: "now" | "later";
  readonly returnUrl: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** What the surface that created it keeps with it, in its own form. */
  readonly attachment: string | null;
}

/**
 *   created   stored, but the gateway has not confirmed it: nobody has its address yet
 *   waiting   at the gateway; a notification is expected, and without one a verify after the grace
 *   watching  verified again and again until it ends
 *   success, failed, expired
 *
 * A revoked link is stored as `failed`, one that is overdue as how far it had come (machine.ts).
 */
export type LinkState = "created" | "waiting" | "watching" | "success" | "failed" | "expired";

/** How a link ended, in the gateway's words. */
export interface LinkOutcome {
  readonly resultCode: string;
  readonly description: string;
  readonly atMs: number;
  /** Only of a paid one. */
  readonly payment: GatewayPayment | null;
}

export type FollowUpType = "capture" | "reversal" | "refund";

/** Who wants something given back: a person or a program of its merchant, an alert, a partner, somebody else of the operators', or nobody, as the relay owes it. */
export type FollowUpAsker = "user" | "key" | "alert" | "partner" | "operator" | "relay";

/** A capture, reversal or refund of a paid link. */
export interface FollowUp {
  /** Under which the gateway executes it, once. */
  readonly id: string;
  readonly type: FollowUpType;
  readonly amountMinor: number;
  /** True for one of everything that was left. */
  readonly whole: boolean;
  /** `requested` counts as done until the gateway's answer is known. */
  readonly state: "requested" | "done" | "refused";
  readonly requestedAtMs: number;
  readonly finishedAtMs: number | null;
  readonly tranId: string | null;
  readonly resultCode: string | null;
  /** In the gateway's words, or in ours what a verify found. */
  readonly description: string | null;
  /** Its answer was lost, and operators have been told. */
  readonly flagged?: true;
  /** Sent again while the answer to an earlier attempt was missing: a refusal may now only say that the earlier one was executed. */
  readonly repeated?: true;
  /** What the gateway said to a repetition; it stands once a verify that began after it says that nothing was executed. */
  readonly refusal?: { readonly atMs: number; readonly resultCode: string; readonly description: string };
  /** Who asked for it first. Absent in those of before it was kept. */
  readonly by?: FollowUpAsker;
  /** How often it was begun as if it were for the first time, and when that was: it may be, once it was refused by somebody who has not looked at it. Absent: once. */
  readonly begun?: { readonly times: number; readonly firstAtMs: number };
}

/**
 * The captures, reversals and refunds that a step begins: for the first time, or anew after somebody had refused them without looking. What was begun before and is gone on with
 * is none of them: the gateway may have executed it.
 */
export function begunBy({
  record,
  before,
}: {
  record: Pick<LinkContext, "followUps">;
  before: Pick<LinkContext, "followUps">;
}): readonly FollowUp[] {
  const isUnderWay = (entry: FollowUp) => entry.state === "requested";
  return record.followUps.filter((entry) => isUnderWay(entry) && !before.followUps.some((one) => one.id === entry.id && isUnderWay(one)));
}

/** Why a capture, reversal or refund is not executed. */
export type FollowUpRefusal =
  | "not_paid"
  | "already_captured"
  | "not_captured"
  | "already_reversed"
  | "already_refunded"
  | "under_way"
  | "too_much"
  | "partial_refund"
  | "too_many"
  /** Somebody disputes it: nothing of it is given back. */
  | "under_dispute";

/** What of a link changes. */
export interface LinkContext {
  readonly order: LinkOrder;
  /** Inits that were begun at the gateway. */
  readonly inits: number;
  readonly paymentId: string | null;
  readonly paymentUrl: string | null;
  /** When the relay looks at it next by itself; null: not any more. */
  readonly nextAtMs: number | null;
  /** When the gateway last answered a verify. */
  readonly verifiedAtMs: number | null;
  /** Notifications that made the relay verify. */
  readonly notifications: number;
  readonly outcome: LinkOutcome | null;
  /** Paid after it had been told as expired or failed. */
  readonly late: boolean;
  /** Its time is over and the gateway cannot say whether it was paid; an operator has been told. */
  readonly overdue: boolean;
  readonly followUps: readonly FollowUp[];
  /** Whether it failed by the gateway's own word, or is known not to be there: it cannot be paid any more, as far as anybody can tell. */
  readonly settled?: true;
  /** Its order was canceled here while the gateway would still take the money. Stored with `state: "failed"`. */
  readonly revoked?: true;
  /** The whole of it is to be given back, by the relay itself. */
  readonly reversalOwed?: ReversalOwed;
}

/** A paid link whose money nobody wants: its order had been canceled, or paid by another link. */
export interface ReversalOwed {
  readonly sinceMs: number;
  /** `refused`: by the gateway, for good. `givenUp`: what became of it was not known for a week. Both are left to operators. */
  readonly state: "owed" | "done" | "refused" | "givenUp";
  readonly attempts: number;
  /** When it is tried next; null once it is not owed any more. */
  readonly nextAtMs: number | null;
}

/** The one id under which the relay itself reverses a link, so that the gateway executes it once. */
export function reversalIdOf(txId: string): string {
  return `${txId}.r`;
}

/** A link as it is stored. */
export interface LinkRecord extends LinkContext {
  readonly state: LinkState;
}

/** What was paid, or while that is not known what is to be: captures, reversals and refunds are of this. */
export function amountOf({ order, outcome }: Pick<LinkContext, "order" | "outcome">): MinorAmount {
  return outcome?.payment?.amount ?? order;
}

/** Whether the gateway says that something else was paid than was ordered. It is kept as it is, and shown. */
export function amountDiffers({ order, outcome }: Pick<LinkContext, "order" | "outcome">): boolean {
  const { amountMinor, currency } = amountOf({ order, outcome });
  return amountMinor !== order.amountMinor || currency !== order.currency;
}

export function isFinal(state: LinkState): boolean {
  return state === "success" || state === "failed" || state === "expired";
}
