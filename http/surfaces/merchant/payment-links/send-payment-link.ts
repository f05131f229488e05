import { Type } from "@sinclair/typebox";
import { emailOf, type Locale } from "../../../../engine/accounts/account.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_LINK_MAILS_MAX } from "../../../../engine/portal-links/portal-link.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PAYMENT_LINK_EXAMPLE, paymentLinkJson } from "./payment-link-json.ts";
import { PaymentLink, SendPaymentLink } from "./schemas.ts";
import { NOT_PENDING, noSuchLink, PaymentLinkParams, paymentLinks } from "./surface.ts";

/** That of an invitation without one. */
const DEFAULT_LOCALE: Locale = "it";

export const sendPaymentLink = paymentLinks.endpoint({
  name: "sendPaymentLink",
  method: "POST",
  path: `${MERCHANT_BASE}/payment-links/{id}/send`,
  summary: "Send a payment link by mail",
  description: `Sends the mail to \`email\`, or to the link's \`customerEmail\` without it; in Italian unless \`locale\` says otherwise. A link can be sent at most ${PORTAL_LINK_MAILS_MAX} times. 200 means that the mail is stored; the relay sends it as soon as the mail server accepts it.`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "It mails a link of the merchant, so many times in an hour, and gives no money away.",
  rateLimit: PORTAL_RATE,
  params: PaymentLinkParams,
  body: Type.Optional(SendPaymentLink),
  bodyExample: { email: "ada@example.com", locale: "it" },
  idempotency: "sealed",
  audit: { action: "payment-link.send" },
  responses: {
    200: { description: "Sent.", body: okOf(PaymentLink), example: { status: "ok", data: { ...PAYMENT_LINK_EXAMPLE, mails: 1 } } },
    ...paymentLinks.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: {
      description: `${NOT_PENDING}, or it has no address to send to (no_address), or it was already sent ${PORTAL_LINK_MAILS_MAX} times (too_many). Or the same \`Idempotency-Key\` was used with another body.`,
      body: paymentLinks.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, body = {}, operationId, request }) => {
    const email = body.email === undefined ? null : emailOf(body.email);
    if (email === null && body.email !== undefined) throw new RelayError("invalid_request", "email: is not an e-mail address");
    const operation = { id: operationId, requestId: request.id };
    const locale = body.locale ?? DEFAULT_LOCALE;
    const outcome = await operations.portalLinks.send(merchantOwnerOf(caller), params.id, email, locale, operation);
    if (outcome === null) throw noSuchLink();
    switch (outcome.type) {
      case "not_pending":
        return refusal(409, "not_pending", `The link is ${outcome.link.state} and cannot be paid any more`);
      case "no_address":
        return refusal(409, "no_address", "The link has no customer's e-mail address; send one as email");
      case "too_many":
        return refusal(409, "too_many", `The link was already sent ${PORTAL_LINK_MAILS_MAX} times; create another one`);
      case "sent":
        return { status: 200, body: ok(await paymentLinkJson(operations, caller, outcome.link)) };
    }
  },
});
