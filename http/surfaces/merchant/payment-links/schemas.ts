import { type Static, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../../engine/accounts/account.ts";
import { LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import {
  PORTAL_LINK_HOURS_DEFAULT,
  PORTAL_LINK_HOURS_MAX,
  PORTAL_LINK_HOURS_MIN,
  PORTAL_LINK_STATES,
} from "../../../../engine/portal-links/portal-link.ts";
import { CustomerEmail, LocaleWord, ReachableEmail, words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { Currency, nullable, ToDay, time } from "../schema-parts.ts";

/** The JSON of payment links: endpoints declare it, the portal's pages take their types from it. */

const PaymentLinkState = words(PORTAL_LINK_STATES, { title: "PaymentLinkState" });
const LINK_TEXT = {
  ...NO_CONTROL_CHARACTERS,
  minLength: 1,
  maxLength: LINK_TEXT_LENGTH_MAX,
  errorMessage: `must have 1 to ${LINK_TEXT_LENGTH_MAX} characters, and no control characters`,
};

/** POST /payment-links. */
export const CreatePaymentLink = Type.Object(
  {
    amountMinor: Type.Integer({ minimum: 1, maximum: 999_999_999_999, description: "Amount in minor units of the currency." }),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", default: "EUR" })),
    description: Type.String({ ...LINK_TEXT, description: "What the customer pays for, shown to the customer." }),
    reference: Type.Optional(Type.String({ ...LINK_TEXT, minLength: 0, description: "Your own." })),
    customerEmail: Type.Optional(CustomerEmail),
    expiresInHours: Type.Optional(
      Type.Integer({ minimum: PORTAL_LINK_HOURS_MIN, maximum: PORTAL_LINK_HOURS_MAX, default: PORTAL_LINK_HOURS_DEFAULT }),
    ),
  },
  { title: "PaymentLinkRequest" },
);
/** POST /payment-links/{id}/send. */
export const SendPaymentLink = Type.Object(
  {
    email: Type.Optional(Type.String({ ...ReachableEmail, description: "Address to send to. Default: the link's `customerEmail`." })),
    locale: Type.Optional(LocaleWord),
  },
  { title: "PaymentLinkMail" },
);
/** Filters of GET /payment-links, beside PAGE_QUERY. */
export const PAYMENT_LINK_FILTERS = {
  state: Type.Optional(PaymentLinkState),
  from: Type.Optional(Type.String({ ...DAY, description: "Only links created on this day or later, in the installation's time zone." })),
  to: Type.Optional(ToDay),
  customerEmail: Type.Optional(
    Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, description: "Only links with exactly this address." }),
  ),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "An id, a reference (exactly), or the uuid of a payment." })),
  agentId: Type.Optional(
    Type.String({ pattern: "^ac_[a-z0-9]{24}$", description: "Only links that this credential of an AI agent created." }),
  ),
  currency: Type.Optional(Currency),
};
const PaymentLinkAttempt = Type.Object(
  {
    /** The uuid under which the payment stands among the transactions once it has ended. */
    uuid: Type.String(),
    state: Type.Union([Type.Literal("opening"), Type.Literal("open"), Type.Literal("paid"), Type.Literal("failed")]),
    createdAt: time("when the customer pressed Pay."),
    endedAt: nullable(time("when the attempt ended.")),
    paidMinor: nullable(Type.Integer()),
    paidCurrency: nullable(Type.String()),
    last4: nullable(Type.String()),
    message: nullable(Type.String({ description: "The gateway's description." })),
    refund: Type.Union([Type.Literal("none"), Type.Literal("unknown"), Type.Literal("done")]),
  },
  { title: "PaymentLinkAttempt" },
);
/** GET /payment-links, GET /payment-links/{id}, and the answer of every change. */
export const PaymentLink = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: "Address for the customer. Anyone who has it may pay." }),
    qr: nullable(Type.String({ description: "The address as a QR code image: `data:image/svg+xml;base64,...`. Null in lists." })),
    state: PaymentLinkState,
    late: Type.Boolean({ description: "True if the link was paid after it was cancelled or had expired." }),
    paidTwice: Type.Boolean({ description: "True if more than one payment was made and not refunded." }),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    description: Type.String(),
    reference: nullable(Type.String()),
    customerEmail: nullable(Type.String({ description: "Masked for roles that do not see personal data." })),
    createdAt: time("when the link was created."),
    createdBy: Type.String({
      description:
        "Display name of the creator: the user's e-mail address (masked for roles that do not see personal data), `Former user`, `API key`, or `AI agent`.",
    }),
    creator: Type.Union([Type.Literal("user"), Type.Literal("former_user"), Type.Literal("key"), Type.Literal("agent")], {
      description: "The kind of `createdBy`: a user of the merchant, a former user, an API key, or an AI agent.",
    }),
    expiresAt: time("until when the link can be paid."),
    paidAt: nullable(time("when the link was paid.")),
    cancelledAt: nullable(time("when the link was cancelled.")),
    mails: Type.Integer({ description: "How many times the link was sent." }),
    attempts: Type.Array(PaymentLinkAttempt),
  },
  { title: "PaymentLink" },
);

export type PaymentLinkJson = Static<typeof PaymentLink>;
