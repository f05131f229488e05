import { type Caller, maySee, senderOf } from "../access/caller.ts";
import { RelayError } from "../kernel/errors.ts";
import { readAmount } from "../kernel/money.ts";
import type { Transaction } from "../payments/transaction.ts";
import type { GatewayAccounts } from "./gateway-accounts.ts";
import { amountOf, type FollowUpRefusal, type FollowUpType, isFinal, type LinkRecord } from "./link.ts";
import { linkRow } from "./link-change.ts";
import { causeOf } from "./link-companion.ts";
import type { FollowUpOutcome, Links, VerifiedLink } from "./links.ts";

/** What its owner does with a payment link. Null is also the answer for a link of somebody else. */
export interface UseLink {
  /** By our txId or the gateway's paymentId. */
  find(caller: Caller, id: string): Promise<LinkRecord | null>;
  /** By the gateway's id of the money movement. */
  findByTranId(caller: Caller, tranId: string): Promise<LinkRecord | null>;
  /**
   * The link as one of its terminal's transactions, for whoever may see it in their list: null while it has not ended. `unknown` also for one that the gateway
   * never had, which is no payment.
   */
  transactionOf(caller: Caller, txId: string): Promise<{ type: "unknown" } | { type: "found"; transaction: Transaction | null }>;
  /** Whether links of the caller are this terminal's where their creation names none. */
  isDefaultTerminal(caller: Caller, terminalId: string): boolean;
  /** Asks the gateway now, unless it was asked just now. `isFresh` as in `Links.verify`. */
  verify(caller: Caller, id: string): Promise<VerifiedLink | null>;
  /**
   * Captures, reverses or refunds, once for its `operationId`. `amount` absent: everything that is left. Throws RelayError `invalid_request`
   * for an amount that cannot be, `conflict` for what is not possible as the payment stands.
   */
  followUp(
    caller: Caller,
    id: string,
    request: { type: FollowUpType; amount: unknown; operationId: string; requestId?: string },
  ): Promise<Exclude<FollowUpOutcome, { type: "impossible" }> | null>;
}

export function createUseLink({ links, accounts }: { links: Links; accounts: Pick<GatewayAccounts, "ofPartner"> }): UseLink {
  function own(caller: Caller, record: LinkRecord | null): LinkRecord | null {
    return record !== null && record.order.owner === senderOf(caller) ? record : null;
  }

  async function find(caller: Caller, id: string): Promise<LinkRecord | null> {
    const byTxId = own(caller, await links.byTxId(id));
    if (byTxId !== null || caller.type !== "partner") return byTxId;
    return own(caller, await links.byPaymentId(caller.partnerId, id));
  }

  return {
    find,
    findByTranId: async (caller, tranId) =>
      caller.type === "partner" ? own(caller, await links.byTranId(caller.partnerId, tranId)) : null,
    transactionOf: async (caller, txId) => {
      const record = await links.byTxId(txId);
      if (record === null || !maySee(caller, record.order.terminalId, record.order.owner)) return { type: "unknown" };
      const row = linkRow(record);
      if (row === null && isFinal(record.state)) return { type: "unknown" };
      return { type: "found", transaction: row?.transaction ?? null };
    },
    isDefaultTerminal: (caller, terminalId) => caller.type === "partner" && accounts.ofPartner(caller.partnerId)?.terminalId === terminalId,
    verify: async (caller, id) => {
      const record = await find(caller, id);
      return record === null ? null : ((await links.verify(record.order.txId)) ?? { record, isFresh: false });
    },
    followUp: async (caller, id, { type, amount, operationId, requestId }) => {
      const record = await find(caller, id);
      if (record === null) return null;
      const { txId } = record.order;
      const { currency } = amountOf(record);
      const read = amount === undefined || amount === null ? null : readAmount(amount, currency);
      if (typeof read === "string") throw new RelayError("invalid_request", `amount: ${read}`);
      const cause = causeOf(requestId, caller.type === "partner" ? "partner" : "operator");
      const outcome = await links.followUp({ txId, operationId, type, amountMinor: read?.minor ?? null }, cause);
      if (outcome?.type === "impossible") throw impossible(outcome.reason);
      return outcome;
    },
  };
}

const REASONS: Readonly<Record<FollowUpRefusal, { code: "invalid_request" | "conflict"; message: string; retryAfterSeconds?: number }>> = {
  not_paid: { code: "conflict", message: "The payment is not paid" },
  already_captured: { code: "conflict", message: "The payment was already captured" },
  not_captured: { code: "conflict", message: "The payment is not captured yet; reverse it instead" },
  already_reversed: { code: "conflict", message: "The payment was already reversed" },
  already_refunded: { code: "conflict", message: "The payment was already refunded" },
  under_way: {
    code: "conflict",
    message: "The same operation is in progress; repeat the request with its Idempotency-Key",
    retryAfterSeconds: 30,
  },
  too_much: { code: "invalid_request", message: "amount: is more than the remaining amount of the payment" },
  partial_refund: {
    code: "invalid_request",
    message: "amount: a partial refund is not available; leave it out to refund the whole payment",
  },
  too_many: { code: "conflict", message: "The payment already has the maximum number of operations" },
  under_dispute: { code: "conflict", message: "The payment is under dispute and cannot be refunded" },
};

function impossible(reason: FollowUpRefusal): RelayError {
  const { code, message, ...options } = REASONS[reason];
  return new RelayError(code, message, options);
}
