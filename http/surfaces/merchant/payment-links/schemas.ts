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
    amountMinor: Type.Integer({ minimum: 1, maximum: 999_999_999_999, description: "Minor units of the currency." }),
    currency: Type.Optional(Type.String({ pattern: "^[A-Z]{3}$", default: "EUR" })),
    description: Type.String({ ...LINK_TEXT, description: "For the customer." }),
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
    email: Type.Optional(Type.String({ ...ReachableEmail, description: "The link's `customerEmail` if absent." })),
    locale: Type.Optional(LocaleWord),
  },
  { title: "PaymentLinkMail" },
);
/** Filters of GET /payment-links, beside PAGE_QUERY. */
export const PAYMENT_LINK_FILTERS = {
  state: Type.Optional(PaymentLinkState),
  from: Type.Optional(Type.String({ ...DAY, description: "Created on this day or later, in the installation's time zone." })),
  to: Type.Optional(ToDay),
  customerEmail: Type.Optional(Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, description: "Exactly this address." })),
  q: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "An id, a reference (exactly), or the uuid of a payment." })),
  agentId: Type.Optional(Type.String({ pattern: "^ac_[a-z0-9]{24}$", description: "Made by this credential of an AI agent." })),
  currency: Type.Optional(Currency),
};
const PaymentLinkAttempt = Type.Object(
  {
    /** The uuid under which the payment stands among the transactions once it has ended. */
    uuid: Type.String(),
    state: Type.Union([Type.Literal("opening"), Type.Literal("open"), Type.Literal("paid"), Type.Literal("failed")]),
    createdAt: time("when somebody pressed Pay."),
    endedAt: nullable(time("when it ended.")),
    paidMinor: nullable(Type.Integer()),
    paidCurrency: nullable(Type.String()),
    last4: nullable(Type.String()),
    message: nullable(Type.String({ description: "The gateway's words." })),
    refund: Type.Union([Type.Literal("none"), Type.Literal("unknown"), Type.Literal("done")]),
  },
  { title: "PaymentLinkAttempt" },
);
/** GET /payment-links, GET /payment-links/{id}, and the answer of every change. */
export const PaymentLink = Type.Object(
  {
    id: Type.String(),
    url: Type.String({ description: "For the customer. Whoever has it may pay." }),
    qr: nullable(Type.String({ description: "The same as an image: `data:image/svg+xml;base64,...`. Null in lists." })),
    state: PaymentLinkState,
    late: Type.Boolean({ description: "Paid after it was cancelled or had expired." }),
    paidTwice: Type.Boolean({ description: "More than one payment was made and not given back." }),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    description: Type.String(),
    reference: nullable(Type.String()),
    customerEmail: nullable(Type.String({ description: "Masked for roles that do not see personal data." })),
    createdAt: time("when it was created."),
    createdBy: Type.String({
      description:
        "For people to read: the user's e-mail address (masked for roles that do not see personal data), `Former user`, `API key`, or `AI agent`.",
    }),
    creator: Type.Union([Type.Literal("user"), Type.Literal("former_user"), Type.Literal("key"), Type.Literal("agent")], {
      description: "What `createdBy` is: a user of the merchant, one who is none any more, an API key, or an AI agent.",
    }),
    expiresAt: time("until when it can be paid."),
    paidAt: nullable(time("when it was paid.")),
    cancelledAt: nullable(time("when it was cancelled.")),
    mails: Type.Integer({ description: "How often it was sent." }),
    attempts: Type.Array(PaymentLinkAttempt),
  },
  { title: "PaymentLink" },
);

export type PaymentLinkJson = Static<typeof PaymentLink>;
