import { chargeIdOf, readAttemptAttachment } from "../intents/attempt.ts";
import type { AttemptFollowUp, IntentRecord } from "../intents/intent.ts";
import type { Intents, Operation } from "../intents/intents.ts";
import { refundIdOf, releaseIdOf } from "../intents/operation-ids.ts";
import { RelayError } from "../kernel/errors.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import { amountOf, type FollowUp, type LinkRecord } from "../links/link.ts";
import { causeOf } from "../links/link-companion.ts";
import type { FollowUpOutcome, Links } from "../links/links.ts";
import { type NotRefundable, refundability, unansweredReturn } from "../links/refundability.ts";

export type GivenBack =
  | { type: "given_back"; by: "refund" | "reversal"; amountMinor: number; currency: string; atMs: number }
  /** The gateway refused with this description. */
  | { type: "refused"; description: string }
  /** `outcome_unknown`: a repetition of the request returns the outcome. */
  | { type: "impossible"; reason: NotRefundable };

/**
 * Refunds a whole payment by link, once: as a refund, or as a reversal if it was not captured. A
 * payment of an intent is refunded through the intent, which reports it. Idempotent by the id of
 * the operation. The caller has checked that the owner has the link.
 */
export type GiveBack = (owner: MerchantParty, link: LinkRecord, operation: Operation) => Promise<GivenBack>;

export interface GiveBackOptions {
  links: Pick<Links, "followUp" | "byTxId">;
  intents: Pick<Intents, "refund" | "cancel">;
  digest: Digest;
}

export function createGiveBack({ links, intents, digest }: GiveBackOptions): GiveBack {
  async function directly(link: LinkRecord, by: "refund" | "reversal", operation: Operation): Promise<GivenBack> {
    const { txId } = link.order;
    const { id: operationId, requestId, by: askedBy } = operation;
    const outcome = await links.followUp({ txId, operationId, type: by, amountMinor: null }, causeOf(requestId ?? undefined, askedBy));
    if (outcome === null) throw notFound();
    switch (outcome.type) {
      case "done":
        return givenBack(outcome.record, outcome.followUp);
      case "refused":
        return { type: "refused", description: outcome.followUp.description ?? "" };
      case "unavailable":
        return UNKNOWN;
      case "impossible":
        return rejectionOf(outcome);
    }
  }

  async function asRefund(owner: MerchantParty, link: LinkRecord, operation: Operation): Promise<GivenBack> {
    const chargeId = chargeIdOf(link.order.txId, digest);
    const outcome = await inEither(owner, (one) =>
      intents.refund(one, { chargeId }, { amountMinor: null, reason: null, metadata: {} }, operation),
    );
    if (outcome === null) throw notFound();
    switch (outcome.type) {
      case "refunded":
        return byFollowUp(outcome.intent, outcome.attempt.txId, outcome.refund.id);
      case "already_refunded":
      case "not_paid":
      case "under_dispute":
        return { type: "impossible", reason: outcome.type };
      case "refused":
        return { type: "refused", description: outcome.description };
      case "partial":
      case "too_much":
      case "unsettled":
        return UNKNOWN;
    }
  }

  /** An authorized payment is released by canceling the intent. */
  async function asRelease(owner: MerchantParty, link: LinkRecord, intentId: string, operation: Operation): Promise<GivenBack> {
    const outcome = await inEither(owner, (one) => intents.cancel(one, intentId, null, operation));
    if (outcome === null) throw notFound();
    switch (outcome.type) {
      case "canceled":
        return byFollowUp(outcome.intent, link.order.txId, releaseIdOf(operation, digest));
      case "refused":
        return { type: "refused", description: outcome.description };
      case "under_dispute":
        return { type: "impossible", reason: outcome.type };
      case "unsettled":
      case "unavailable":
        return UNKNOWN;
      case "unexpected": {
        // Another request has captured or refunded it in the meantime.
        const now = await links.byTxId(link.order.txId);
        if (now === null) throw notFound();
        const judged = refundability(now);
        return judged.type === "impossible" ? judged : UNKNOWN;
      }
    }
  }

  return async (owner, link, operation) => {
    const by = refundMethodOf(link, new Set([operation.id, refundIdOf(operation, digest), releaseIdOf(operation, digest)]));
    if (by.type === "impossible") return by;
    const attempt = readAttemptAttachment(link.order.attachment);
    // The intent does not track its unwanted payments. The relay refunds them directly, and so does
    // a caller that continues after the relay gave up.
    if (attempt === null || link.reversalOwed !== undefined) return directly(link, by.by, operation);
    return by.by === "refund" ? asRefund(owner, link, operation) : asRelease(owner, link, attempt.intent, operation);
  };
}

/**
 * After a merchant moves to another environment, intents of its earlier payments are still in the
 * previous environment.
 */
async function inEither<Outcome>(owner: MerchantParty, work: (owner: MerchantParty) => Promise<Outcome | null>): Promise<Outcome | null> {
  return (await work(owner)) ?? work({ ...owner, livemode: !owner.livemode });
}

const UNKNOWN = { type: "impossible", reason: "outcome_unknown" } as const;

/**
 * Chooses refund or reversal. It continues an operation with the same id or with an unknown
 * outcome.
 */
function refundMethodOf(
  link: LinkRecord,
  ownIds: ReadonlySet<string>,
): { type: "possible"; by: "refund" | "reversal" } | { type: "impossible"; reason: NotRefundable } {
  const own = link.followUps.find(({ id, type }) => ownIds.has(id) && type !== "capture");
  if (own !== undefined && own.type !== "capture") return { type: "possible", by: own.type };
  const judged = refundability(link);
  if (judged.type === "possible") return judged;
  const begun = judged.reason === "outcome_unknown" ? unansweredReturn(link) : null;
  return begun === null ? judged : { type: "possible", by: begun };
}

/**
 * The link rejects the operation because it changed after the decision, or another request is
 * processing it.
 */
function rejectionOf({ record, reason }: Extract<FollowUpOutcome, { type: "impossible" }>): GivenBack {
  if (reason === "under_dispute") return { type: "impossible", reason };
  if (reason === "too_many") return { type: "refused", description: "The payment has too many operations" };
  const judged = refundability(record);
  return judged.type === "impossible" ? judged : UNKNOWN;
}

function byFollowUp({ attempts }: IntentRecord, txId: string, followUpId: string): GivenBack {
  const attempt = attempts.find((candidate) => candidate.txId === txId);
  const entry = attempt?.followUps.find(({ id }) => id === followUpId);
  // The cancel continued an operation that had started earlier, under another id.
  const found = entry ?? attempt?.followUps.find(({ type, state }) => type === "reversal" && state === "done");
  if (attempt === undefined || found === undefined) return UNKNOWN;
  return ofIntent(found, attempt.paid?.currency ?? attempt.currency);
}

function ofIntent({ type, state, amountMinor, requestedAtMs, description }: AttemptFollowUp, currency: string): GivenBack {
  if (state === "refused") return { type: "refused", description: description ?? "" };
  if (state === "requested" || type === "capture") return UNKNOWN;
  return { type: "given_back", by: type, amountMinor, currency, atMs: requestedAtMs };
}

function givenBack(link: LinkRecord, { type, amountMinor, requestedAtMs }: FollowUp): GivenBack {
  if (type === "capture") throw new Error(`${link.order.txId} was captured in place of being given back`);
  return { type: "given_back", by: type, amountMinor, currency: amountOf(link).currency, atMs: requestedAtMs };
}

/** Payments expire after weeks. This one expired during the request. */
function notFound(): RelayError {
  return new RelayError("not_found", "There is no such transaction");
}
