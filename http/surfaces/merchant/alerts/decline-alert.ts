import { Type } from "@sinclair/typebox";
import { actorOf } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { DeclineAlert } from "./schemas.ts";
import { oneAlert, outcomeUnknown } from "./surface.ts";

export const declineAlert = oneAlert.action({
  name: "declineAlert",
  refusesUnknown: "money",
  method: "POST",
  path: "/decline",
  summary: "Decline an alert",
  description: "Nothing is refunded. The customer's bank may open a dispute.",
  may: "operate",
  noStepUp: "Declining moves no money. A dispute may follow, and its response needs a fresh factor.",
  body: Type.Optional(DeclineAlert),
  bodyExample: { reason: "The customer has the goods" },
  idempotency: "sealed",
  audit: { action: "alert.decline" },
  done: {
    description: "The alert is declined.",
    changes: {
      state: "DECLINED",
      answerable: false,
      end: { by: "merchant", at: "2026-11-25T11:00:00.000Z", reason: "The customer has the goods" },
    },
  },
  conflict:
    "`not_pending`: the alert has ended. `outcome_unknown`: a refund is in progress (with `Retry-After`). `conflict`: the same `Idempotency-Key` was used with another body.",
  run: async ({ alerts }, owner, { caller, params, body = {}, operationId, request }) => {
    const { reason = null } = body;
    const outcome = await alerts.decline(owner, params.id, reason, actorOf(caller), { id: operationId, requestId: request.id });
    switch (outcome?.type) {
      case undefined:
        return null;
      case "outcome_unknown":
        throw outcomeUnknown();
      case "not_pending":
        return refusal(409, "not_pending", `The alert is ${outcome.alert.state} and can no longer be declined`);
      case "declined":
        return { done: outcome.alert };
    }
  },
});
