import { actorOf } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { oneAlert, outcomeUnknown } from "./surface.ts";

/** The gateway refunds during the request. */
const DEADLINE_MS = 20_000;

export const refundAlert = oneAlert.action({
  name: "refundAlert",
  refusesUnknown: "money",
  method: "POST",
  path: "/refund",
  summary: "Refund the payment of an alert",
  description:
    "Refunds the whole payment, and does so once, however often the call is repeated. The alert is then REFUNDED, even if the payment was refunded before. If the gateway does not respond (`outcome_unknown`), the relay finds out the outcome automatically; repeat the same request to learn it.",
  may: "refund",
  stepUp: true,
  deadlineMs: DEADLINE_MS,
  idempotency: "plain",
  audit: { action: "alert.refund" },
  errors: [413, 415],
  done: {
    description: "The payment is refunded.",
    changes: {
      state: "REFUNDED",
      answerable: false,
      refund: {
        ...{ state: "done", by: "anna@example.com", byType: "user", requestedAt: "2026-11-25T11:00:00.000Z" },
        ...{ endedAt: "2026-11-25T11:00:01.000Z", moved: true, detail: null },
      },
    },
  },
  conflict:
    "The payment was not refunded, for the reason in `code`. `not_pending`: the alert has ended. `under_dispute`: the payment is already disputed. `no_payment`: the payment is unknown. `network_refunds`: the network refunds the customer itself. `not_refundable_here`: a terminal took the payment. `not_paid`: nothing was paid. `partial_refund`: a part of the payment was refunded before. `refund_refused`: the gateway refused; the reason is in the message. `outcome_unknown`: a refund is in progress (with `Retry-After`). `conflict`: the same `Idempotency-Key` was used for another request.",
  run: async ({ alerts }, owner, { caller, params, operationId, request }) => {
    const outcome = await alerts.refund(owner, params.id, actorOf(caller), { id: operationId, requestId: request.id });
    switch (outcome?.type) {
      case undefined:
        return null;
      case "refunded":
        return { done: outcome.alert };
      case "outcome_unknown":
        throw outcomeUnknown();
      case "not_pending":
        return refusal(409, "not_pending", `The alert is ${outcome.alert.state} and can no longer be refunded`);
      case "under_dispute":
        return refusal(409, "under_dispute", "The payment is under dispute and cannot be refunded");
      case "no_payment":
        return refusal(409, "no_payment", "The payment of this alert is unknown, so it cannot be refunded");
      case "network_refunds":
        return refusal(409, "network_refunds", "The network refunds the customer itself; do not refund the payment");
      case "refused":
        return notRefunded(outcome.alert.refund?.detail ?? null);
    }
  },
});

function notRefunded(detail: string | null) {
  switch (detail) {
    case "not_refundable_here":
      return refusal(409, "not_refundable_here", "Refund a payment of a terminal on the terminal");
    case "under_dispute":
      return refusal(409, "under_dispute", "The payment is under dispute and cannot be refunded");
    case "not_paid":
      return refusal(409, "not_paid", "There is nothing to refund: it was not paid");
    case "partial_refund":
      return refusal(409, "partial_refund", "A part of the payment was already refunded; only whole payments can be refunded from here");
    default:
      return refusal(409, "refund_refused", `The payment was not refunded: ${detail ?? "the gateway refused"}`);
  }
}
