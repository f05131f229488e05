import { refusal } from "../envelope.ts";
import { NOT_PENDING, onePaymentLink } from "./surface.ts";

/**
 * A cancellation asks the gateway about an open payment, which takes longer than a usual change.
 */
const DEADLINE_MS = 20_000;

export const cancelPaymentLink = onePaymentLink.action({
  name: "cancelPaymentLink",
  method: "POST",
  path: "/cancel",
  summary: "Cancel a payment link",
  description:
    "Afterwards the link cannot be paid. A customer who has the gateway's page open at that moment may still pay there: the link is then PAID with `late`, and the payment can be refunded.",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Only what is not paid can be cancelled, and another link can be created.",
  deadlineMs: DEADLINE_MS,
  idempotency: "sealed",
  audit: { action: "payment-link.cancel" },
  done: { description: "Cancelled.", changes: { state: "CANCELLED", cancelledAt: "2026-11-25T11:00:00.000Z" } },
  conflict: `${NOT_PENDING}.`,
  run: async ({ portalLinks }, owner, { params, operationId, request }) => {
    const outcome = await portalLinks.cancel(owner, params.id, { id: operationId, requestId: request.id });
    if (outcome?.type !== "not_pending") return outcome === null ? null : { done: outcome.link };
    return refusal(409, "not_pending", `The link is ${outcome.link.state} and cannot be cancelled`);
  },
});
