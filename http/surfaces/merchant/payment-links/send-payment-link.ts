import { Type } from "@sinclair/typebox";
import { emailOf, type Locale } from "../../../../engine/accounts/account.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_LINK_MAILS_MAX } from "../../../../engine/portal-links/portal-link.ts";
import { refusal } from "../envelope.ts";
import { SendPaymentLink } from "./schemas.ts";
import { NOT_PENDING, onePaymentLink } from "./surface.ts";

/** The language of an invitation that names none. */
const DEFAULT_LOCALE: Locale = "it";

export const sendPaymentLink = onePaymentLink.action({
  name: "sendPaymentLink",
  method: "POST",
  path: "/send",
  summary: "Send a payment link by mail",
  description: `Sends the mail to \`email\`, or to the link's \`customerEmail\` without it; in Italian unless \`locale\` says otherwise. A link can be sent at most ${PORTAL_LINK_MAILS_MAX} times. 200 means that the mail is stored; the relay sends it as soon as the mail server accepts it.`,
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "It mails a link of the merchant, so many times in an hour, and gives no money away.",
  body: Type.Optional(SendPaymentLink),
  bodyExample: { email: "ada@example.com", locale: "it" },
  idempotency: "sealed",
  audit: { action: "payment-link.send" },
  done: { description: "Sent.", changes: { mails: 1 } },
  conflict: `${NOT_PENDING}, or it has no address to send to (no_address), or it was already sent ${PORTAL_LINK_MAILS_MAX} times (too_many). Or the same \`Idempotency-Key\` was used with another body.`,
  run: async ({ portalLinks }, owner, { params, body = {}, operationId, request }) => {
    const email = body.email === undefined ? null : emailOf(body.email);
    if (email === null && body.email !== undefined) throw new RelayError("invalid_request", "email: is not an e-mail address");
    const operation = { id: operationId, requestId: request.id };
    const outcome = await portalLinks.send(owner, params.id, email, body.locale ?? DEFAULT_LOCALE, operation);
    switch (outcome?.type) {
      case undefined:
        return null;
      case "not_pending":
        return refusal(409, "not_pending", `The link is ${outcome.link.state} and cannot be paid any more`);
      case "no_address":
        return refusal(409, "no_address", "The link has no customer's e-mail address; send one as email");
      case "too_many":
        return refusal(409, "too_many", `The link was already sent ${PORTAL_LINK_MAILS_MAX} times; create another one`);
      case "sent":
        return { done: outcome.link };
    }
  },
});
