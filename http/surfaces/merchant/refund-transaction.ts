import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Links } from "../../../engine/links/links.ts";
import type { MerchantTransactions } from "../../../engine/payments/merchant-transactions.ts";
import type { GiveBack } from "../../../engine/refunds/refund-payment.ts";
import { iso } from "../../endpoint/time.ts";
import { givenText, UuidParams } from "../parts/schemas.ts";
import { ok, okOf, refusal } from "./envelope.ts";
import { ownTransaction } from "./find-transaction.ts";
import { ownLink, refundDecision, type WhyNoRefund } from "./refund-decision.ts";
import { MERCHANT_BASE, merchantOwnerOf, merchantSurface, PORTAL_RATE } from "./surface.ts";
import { Refund, RefundTransaction } from "./transaction-schemas.ts";

/** The collaborators of refunds. */
export interface RefundOperations {
  links: Pick<Links, "byTxId">;
  merchantTransactions: Pick<MerchantTransactions, "find">;
  giveBack: GiveBack;
}

const refunds = merchantSurface<RefundOperations>();

/** The gateway moves the money during the request. */
const DEADLINE_MS = 20_000;

/** Another request may still be processing the refund. */
const RETRY_AFTER_SECONDS = 3;

export const refundTransaction = refunds.endpoint({
  name: "refundMerchantTransaction",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/transactions/{uuid}/refund`,
  summary: "Refund a transaction",
  description:
    "Refunds the whole payment, and does so once, however often the call is repeated: as a refund, or as a reversal if the payment was not captured yet. It works for every link of the merchant, whoever created it; a terminal's payment must be refunded on the terminal. If the gateway's response is lost (`outcome_unknown`), repeat the same request to learn the outcome.",
  auth: "merchantUserOrKey",
  may: "refund",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  deadlineMs: DEADLINE_MS,
  params: UuidParams,
  body: Type.Optional(RefundTransaction),
  bodyExample: { reason: "The dinner was cancelled" },
  idempotency: "plain",
  audit: { action: "transaction.refund", note: ({ body }) => givenText(body?.reason) ?? undefined },
  responses: {
    200: {
      description: "Given back.",
      body: okOf(Refund),
      example: {
        status: "ok",
        data: { uuid: "pl_4f0k2m9x7q1c8v5b3n6z0a2s.1", type: "refund", amountMinor: 1050, currency: "EUR", at: "2026-11-25T10:00:00.000Z" },
      },
    },
    ...refunds.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description:
        "The payment was not refunded, for the reason in `code`. `not_refundable_here`: a terminal took the payment. `not_kept`: the payment is too old. `not_paid`: nothing was paid. `already_refunded`: the payment was refunded before. `partial_refund`: a part of it was refunded before. `under_dispute`: it cannot be refunded while it is disputed, and afterwards only if the dispute is won. `refund_refused`: the gateway refused; its reason is in the message. `outcome_unknown`: the refund is in progress, or the gateway did not respond (then with `Retry-After`). `conflict`: the same `Idempotency-Key` was used with another body.",
      body: refunds.envelope.schema,
    },
  },
  handle: async ({ links, merchantTransactions, giveBack }, { caller, params: { uuid }, operationId, idempotencyKey, request }) => {
    const owner = merchantOwnerOf(caller);
    const link = await ownLink(links, owner.merchantId, uuid);
    if (link === null) {
      const decision = refundDecision(await ownTransaction({ merchantTransactions }, owner.merchantId, uuid), null, false);
      return notRefunded(decision.type === "impossible" ? decision.reason : "not_refundable_here");
    }
    const by = caller.type === "merchantUser" ? "user" : "key";
    const outcome = await giveBack(owner, link, { id: operationId, requestId: request.id, idempotencyKey, by });
    switch (outcome.type) {
      case "given_back": {
        const { by: type, amountMinor, currency, atMs } = outcome;
        return { status: 200, body: ok({ uuid: link.order.txId, type, amountMinor, currency, at: iso(atMs) }) };
      }
      case "refused":
        return refusal(409, "refund_refused", `The gateway refused: ${outcome.description}`);
      case "impossible":
        return notRefunded(outcome.reason);
    }
  },
});

const MESSAGES: Readonly<Record<Exclude<WhyNoRefund, "outcome_unknown">, string>> = {
  not_refundable_here: "Refund a payment of a terminal on the terminal",
  not_kept: "The payment is too old to be refunded from here",
  not_paid: "There is nothing to refund: it was not paid",
  already_refunded: "The payment was already refunded",
  partial_refund: "A part of the payment was already refunded; only whole payments can be refunded from here",
  under_dispute: "The payment is under dispute and cannot be refunded",
};

/**
 * An error with a time to retry is not stored for its idempotency key, so the repeated request
 * reads the outcome.
 */
function notRefunded(reason: WhyNoRefund) {
  if (reason === "outcome_unknown") {
    throw new RelayError("conflict", "The outcome of the refund is not known yet: repeat the same request to learn it", {
      ...{ detail: "outcome_unknown", retryAfterSeconds: RETRY_AFTER_SECONDS },
    });
  }
  return refusal(409, reason, MESSAGES[reason]);
}
