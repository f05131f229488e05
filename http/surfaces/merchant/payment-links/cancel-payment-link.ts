import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PAYMENT_LINK_EXAMPLE, paymentLinkJson } from "./payment-link-json.ts";
import { PaymentLink } from "./schemas.ts";
import { NOT_PENDING, noSuchLink, PaymentLinkParams, paymentLinks } from "./surface.ts";

/** The gateway is asked about a payment that is open. */
const DEADLINE_MS = 20_000;

export const cancelPaymentLink = paymentLinks.endpoint({
  name: "cancelPaymentLink",
  method: "POST",
  path: `${MERCHANT_BASE}/payment-links/{id}/cancel`,
  summary: "Cancel a payment link",
  description:
    "Afterwards the link cannot be paid. A customer who has the gateway's page open at that moment may still pay there: the link is then PAID with `late`, and the payment can be refunded.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Only what is not paid can be cancelled, and another link can be created.",
  rateLimit: PORTAL_RATE,
  deadlineMs: DEADLINE_MS,
  params: PaymentLinkParams,
  idempotency: "sealed",
  audit: { action: "payment-link.cancel" },
  responses: {
    200: {
      description: "Cancelled.",
      body: okOf(PaymentLink),
      example: { status: "ok", data: { ...PAYMENT_LINK_EXAMPLE, state: "CANCELLED", cancelledAt: "2026-11-25T11:00:00.000Z" } },
    },
    ...paymentLinks.errors(400, 401, 403, 404, 429, 503),
    409: { description: `${NOT_PENDING}.`, body: paymentLinks.envelope.schema },
  },
  handle: async (operations, { caller, params, operationId, request }) => {
    const operation = { id: operationId, requestId: request.id };
    const outcome = await operations.portalLinks.cancel(merchantOwnerOf(caller), params.id, operation);
    if (outcome === null) throw noSuchLink();
    if (outcome.type === "not_pending") return refusal(409, "not_pending", `The link is ${outcome.link.state} and cannot be cancelled`);
    return { status: 200, body: ok(await paymentLinkJson(operations, caller, outcome.link)) };
  },
});
