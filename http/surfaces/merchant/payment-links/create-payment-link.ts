import { otherEnvironment } from "../../../../engine/access/other-environment.ts";
import { fromMinorUnits } from "../../../../engine/kernel/money.ts";
import { PORTAL_LINKS_PER_HOUR_MAX } from "../../../../engine/portal-links/portal-link.ts";
import { PORTAL_LINK_HOURS_DEFAULT } from "../../../../engine/portal-links/words.ts";
import { givenText } from "../../parts/schemas.ts";
import { actorOf } from "../actor-names.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { CreatePaymentLink, paymentLink } from "./schemas.ts";
import { onePaymentLink, paymentLinks } from "./surface.ts";

const HOUR_MS = 3_600_000;

export const createPaymentLink = paymentLinks.endpoint({
  name: "createPaymentLink",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/payment-links`,
  summary: "Create a payment link",
  description: `The response has the address for the customer, also as a QR code. The link can be paid once, until \`expiresAt\`. This call does not send it: POST /api/merchant/payment-links/{id}/send does. A merchant may create at most ${PORTAL_LINKS_PER_HOUR_MAX} links in an hour (429).`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "A link collects money for the merchant's own account, and gives none away.",
  rateLimit: PORTAL_RATE,
  body: CreatePaymentLink,
  bodyExample: { amountMinor: 1_050, description: "Dinner on Thursday", reference: "T-7", customerEmail: "ada@example.com" },
  // The response contains the URL by which the link is paid.
  idempotency: "sealed",
  audit: {
    action: "payment-link.create",
    subject: ({ body: { amountMinor, currency = "EUR" } }) => `${fromMinorUnits(amountMinor, currency)} ${currency}`,
  },
  responses: {
    201: { description: "Created.", body: okOf(paymentLink.schema), example: { status: "ok", data: paymentLink.example } },
    ...paymentLinks.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description:
        "The merchant's partner has no account at the card gateway (no_account). Or the key belongs to the merchant's other environment, for which the partner has no account (other_environment). Or the same `Idempotency-Key` was used with another body.",
      body: paymentLinks.envelope.schema,
    },
  },
  handle: async (operations, { caller, body, operationId, request }) => {
    const { amountMinor, currency = "EUR", description, customerEmail = null, expiresInHours } = body;
    const reference = givenText(body.reference);
    const expiresAtMs = operations.clock.nowMs() + (expiresInHours ?? PORTAL_LINK_HOURS_DEFAULT) * HOUR_MS;
    const order = { amountMinor, currency, description, reference, customerEmail, expiresAtMs };
    const operation = { id: operationId, requestId: request.id };
    const created = await operations.portalLinks.create(merchantOwnerOf(caller), order, actorOf(caller), operation);
    if (created.type === "other_environment") throw otherEnvironment();
    if (created.type === "no_account") {
      return refusal(409, "no_account", "The partner of this merchant has no account at the card gateway; ask your partner for one");
    }
    return { status: 201, body: ok(await onePaymentLink.json(operations, caller, created.link)) };
  },
});
