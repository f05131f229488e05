import { actorOf } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { oneAlert, outcomeUnknown } from "./surface.ts";

/** The gateway moves the money during the request. */
const DEADLINE_MS = 20_000;

export const refundAlert = oneAlert.action({
  name: "refundAlert",
  refusesUnknown: "money",
  method: "POST",
  path: "/refund",
  summary: "Refund the payment of an alert",
  description:
    "Gives the whole of the payment back, once, however often it is asked for: the alert is then REFUNDED, also where it had been given back before. Where the gateway's answer is missing (`outcome_unknown`) the relay finds out by itself, and the same request again says how it stands.",
  may: "refund",
  stepUp: true,
  deadlineMs: DEADLINE_MS,
  idempotency: "plain",
  audit: { action: "alert.refund" },
  errors: [413, 415],
  done: {
    description: "Refunded.",
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
    "Not refunded, by `code`: `not_pending`. `under_dispute`: its payment is disputed already. `no_payment`: it is not known which one it is. `network_refunds`: the network moves the money itself. `not_refundable_here`: a terminal took it. `refund_refused`: by the gateway, or as the message says. `outcome_unknown`: a refund is under way (with `Retry-After`). Or the same `Idempotency-Key` was used for another request.",
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
        return refusal(409, "not_pending", `The alert is ${outcome.alert.state}: it cannot be refunded any more`);
      case "under_dispute":
        return refusal(409, "under_dispute", "The payment is under dispute, and nothing of it is given back");
      case "no_payment":
        return refusal(409, "no_payment", "It is not known which payment it is about");
      case "network_refunds":
        return refusal(409, "network_refunds", "The network gives the money back itself");
      case "refused":
        return notRefunded(outcome.alert.refund?.detail ?? null);
    }
  },
});

function notRefunded(detail: string | null) {
  switch (detail) {
    case "not_refundable_here":
      return refusal(409, "not_refundable_here", "A payment of a terminal is refunded on the terminal");
    case "under_dispute":
      return refusal(409, "under_dispute", "The payment is under dispute, and nothing of it is given back");
    case "not_paid":
      return refusal(409, "not_paid", "There is nothing to refund: it was not paid");
    case "partial_refund":
      return refusal(409, "partial_refund", "A part of it was given back already; only the whole can be refunded from here");
    default:
      return refusal(409, "refund_refused", `It was not given back: ${detail ?? "the gateway refused"}`);
  }
}
