import { actorOf } from "../actor-names.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { ALERT_EXAMPLE, alertJson } from "./alert-json.ts";
import { Alert } from "./schemas.ts";
import { AlertParams, alerts, noSuchAlert, outcomeUnknown } from "./surface.ts";

/** The gateway moves the money meanwhile. */
const DEADLINE_MS = 20_000;

export const refundAlert = alerts.endpoint({
  name: "refundAlert",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/alerts/{id}/refund`,
  summary: "Refund the payment of an alert",
  description:
    "Gives the whole of the payment back, once, however often it is asked for: the alert is then REFUNDED, also where it had been given back before. Where the gateway's answer is missing (`outcome_unknown`) the relay finds out by itself, and the same request again says how it stands.",
  auth: "merchantUserOrKey",
  may: "refund",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  deadlineMs: DEADLINE_MS,
  params: AlertParams,
  idempotency: "plain",
  audit: { action: "alert.refund" },
  responses: {
    200: {
      description: "Refunded.",
      body: okOf(Alert),
      example: {
        status: "ok",
        data: {
          ...ALERT_EXAMPLE,
          state: "REFUNDED",
          answerable: false,
          refund: {
            state: "done",
            by: "anna@example.com",
            byType: "user",
            requestedAt: "2026-11-25T11:00:00.000Z",
            endedAt: "2026-11-25T11:00:01.000Z",
            moved: true,
            detail: null,
          },
        },
      },
    },
    ...alerts.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description:
        "Not refunded, by `code`: `not_pending`. `under_dispute`: its payment is disputed already. `no_payment`: it is not known which one it is. `network_refunds`: the network moves the money itself. `not_refundable_here`: a terminal took it. `refund_refused`: by the gateway, or as the message says. `outcome_unknown`: a refund is under way (with `Retry-After`). Or the same `Idempotency-Key` was used for another request.",
      body: alerts.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = { id: operationId, requestId: request.id };
    const outcome = await operations.alerts.refund(merchantOwnerOf(caller), params.id, actorOf(caller), operation);
    if (outcome === null) throw noSuchAlert();
    switch (outcome.type) {
      case "refunded":
        return { status: 200, body: ok(await alertJson(operations, caller, outcome.alert)) };
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
