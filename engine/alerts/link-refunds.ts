import type { DisputeHoldStore } from "../disputes/dispute-hold-store.ts";
import { refundIdOf, releaseIdOf } from "../intents/operation-ids.ts";
import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { Digest } from "../kernel/prefixed-id.ts";
import type { FollowUp, LinkRecord } from "../links/link.ts";
import type { Links } from "../links/links.ts";
import { refundability } from "../links/refundability.ts";
import type { GiveBack } from "../refunds/refund-payment.ts";
import type { AlertRefunds, RefundOrder, RefundState } from "./alert-refunds.ts";

export interface LinkRefundsOptions {
  links: Pick<Links, "byTxId" | "verifyNow">;
  giveBack: GiveBack;
  holds: Pick<DisputeHoldStore, "isUnderDispute">;
  digest: Digest;
  clock: Clock;
}

const ELSEWHERE: RefundState = { type: "refused", reason: "not_refundable_here" };
const UNKNOWN: RefundState = { type: "unknown" };

/** Refunds payments by link. Payments on a terminal cannot be refunded here. */
export function createLinkRefunds({ links, giveBack, holds, digest, clock }: LinkRefundsOptions): AlertRefunds {
  /** An intent derives its own ids from that of the order. */
  function existingRefundOf({ followUps }: LinkRecord, { id }: RefundOrder): FollowUp | undefined {
    const ids = [id, refundIdOf({ id }, digest), releaseIdOf({ id }, digest)];
    return followUps.find((one) => one.type !== "capture" && ids.includes(one.id));
  }

  async function refund(order: RefundOrder): Promise<RefundState> {
    const { id, merchantId, partnerId, livemode, uuid, limit, requestId, notAfterMs } = order;
    const link = await links.byTxId(uuid);
    if (link === null || link.order.shop !== merchantId) return ELSEWHERE;
    const existing = existingRefundOf(link, order);
    const judged = refundability(link);
    if (judged.type === "impossible" && judged.reason === "already_refunded") {
      return existing?.state === "done" ? { type: "done" } : { type: "already_refunded" };
    }
    if (judged.type === "possible" && limit !== null && isMore(judged, limit)) return { type: "refused", reason: "amount_differs" };
    // A refund that did not reach the gateway continues under its id, which the gateway executes
    // once. It does not continue after a dispute or the deadline.
    const isBegun = existing?.state === "requested";
    if (await holds.isUnderDispute({ merchantId, uuid })) return isBegun ? UNKNOWN : { type: "refused", reason: "under_dispute" };
    if (clock.nowMs() >= notAfterMs) return isBegun ? UNKNOWN : { type: "absent" };
    const outcome = await giveBack({ merchantId, partnerId, livemode }, link, {
      id,
      requestId: requestId ?? id,
      idempotencyKey: null,
      by: "alert",
    });
    switch (outcome.type) {
      case "given_back":
        return { type: "done" };
      case "refused":
        return { type: "refused", reason: "gateway" };
      case "impossible":
        if (outcome.reason === "already_refunded") return { type: "already_refunded" };
        return outcome.reason === "outcome_unknown" ? UNKNOWN : { type: "refused", reason: outcome.reason };
    }
  }

  async function verify(order: RefundOrder): Promise<RefundState> {
    const found = await links.verifyNow(order.uuid);
    if (found === null || found.record.order.shop !== order.merchantId) return ELSEWHERE;
    const existing = existingRefundOf(found.record, order);
    switch (existing?.state) {
      case undefined:
        return { type: "absent" };
      case "done":
        return { type: "done" };
      case "refused":
        return { type: "refused", reason: existing.resultCode ?? "gateway" };
      case "requested":
        return found.asked ? { type: "unfinished" } : UNKNOWN;
    }
  }

  /** Without the store or a turn at the gateway, it is unknown how far the refund came. */
  async function orUnknown(work: () => Promise<RefundState>): Promise<RefundState> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof RelayError) return UNKNOWN;
      throw error;
    }
  }

  return { refund: (order) => orUnknown(() => refund(order)), verify: (order) => orUnknown(() => verify(order)) };
}

function isMore({ amountMinor, currency }: Amount, limit: Amount): boolean {
  return currency !== limit.currency || amountMinor > limit.amountMinor;
}

interface Amount {
  readonly amountMinor: number;
  readonly currency: string;
}
