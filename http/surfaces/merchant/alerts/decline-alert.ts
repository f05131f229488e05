import { Type } from "@sinclair/typebox";
import { actorOf } from "../actor-names.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { ALERT_EXAMPLE, alertJson } from "./alert-json.ts";
import { Alert, DeclineAlert } from "./schemas.ts";
import { AlertParams, alerts, noSuchAlert, outcomeUnknown } from "./surface.ts";

export const declineAlert = alerts.endpoint({
  name: "declineAlert",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/alerts/{id}/decline`,
  summary: "Decline an alert",
  description: "Nothing is given back; the customer's bank may begin a dispute.",
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "Declining gives no money away: a dispute may follow, and its response needs a fresh factor.",
  rateLimit: PORTAL_RATE,
  params: AlertParams,
  body: Type.Optional(DeclineAlert),
  bodyExample: { reason: "The customer has the goods" },
  idempotency: "sealed",
  audit: { action: "alert.decline" },
  responses: {
    200: {
      description: "Declined.",
      body: okOf(Alert),
      example: {
        status: "ok",
        data: {
          ...ALERT_EXAMPLE,
          state: "DECLINED",
          answerable: false,
          end: { by: "merchant", at: "2026-11-25T11:00:00.000Z", reason: "The customer has the goods" },
        },
      },
    },
    ...alerts.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description:
        "It has ended (not_pending), or a refund is under way (outcome_unknown, with `Retry-After`). Or the same `Idempotency-Key` was used with another body.",
      body: alerts.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, body = {}, operationId, request }) => {
    const operation = { id: operationId, requestId: request.id };
    const { reason = null } = body;
    const outcome = await operations.alerts.decline(merchantOwnerOf(caller), params.id, reason, actorOf(caller), operation);
    if (outcome === null) throw noSuchAlert();
    switch (outcome.type) {
      case "outcome_unknown":
        throw outcomeUnknown();
      case "not_pending":
        return refusal(409, "not_pending", `The alert is ${outcome.alert.state}: it cannot be declined any more`);
      case "declined":
        return { status: 200, body: ok(await alertJson(operations, caller, outcome.alert)) };
    }
  },
});
