import { type Static, Type } from "@sinclair/typebox";
import { LINK_TEXT_LENGTH_MAX } from "../../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../../engine/kernel/well-formed.ts";
import {
  isPaidTwice,
  type PortalLinkAttempt,
  type PortalLinkCreator,
  type PortalLinkRecord,
} from "../../../../engine/portal-links/portal-link.ts";
import {
  PORTAL_LINK_HOURS_DEFAULT,
  PORTAL_LINK_HOURS_MAX,
  PORTAL_LINK_HOURS_MIN,
  PORTAL_LINK_STATES,
} from "../../../../engine/portal-links/words.ts";
import { resourceOf, webhookObject } from "../../../endpoint/resource.ts";
import { iso } from "../../../endpoint/time.ts";
import { maskedEmail } from "../../parts/masking.ts";
import { CustomerEmail, LocaleWord, ReachableEmail, words } from "../../parts/schemas.ts";
import { type ActorContext, EXAMPLE_CONTEXT } from "../actor-context.ts";
import { filtersOf } from "../list-filters.ts";
import { PAYMENT_LINK_LIST } from "./list.ts";

/** The resource of payment links, and the JSON of requests. Pages take their types from it. */

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
/** The filters of GET /payment-links, without PAGE_QUERY. */
export const PAYMENT_LINK_FILTERS = filtersOf(PAYMENT_LINK_LIST, {
  state: PaymentLinkState,
  from: { description: "Only links created on this day or later, in the installation's time zone." },
  customerEmail: { description: "Only links with exactly this address." },
  q: { description: "An id, a reference (exactly), or the uuid of a payment." },
  agentId: { description: "Only links that this credential of an AI agent created." },
});

const a = resourceOf<PortalLinkAttempt>();
const attempt = a.resource({
  title: "PaymentLinkAttempt",
  members: {
    /** The uuid of the payment among the transactions, once it has ended. */
    uuid: a.text().from(({ txId }) => txId),
    state: a.value(words(["opening", "open", "paid", "failed"])),
    createdAt: a.time("when the customer pressed Pay."),
    endedAt: a.time("when the attempt ended.").orNull(),
    paidMinor: a
      .integer()
      .orNull()
      .from(({ paid }) => paid?.amountMinor ?? null),
    paidCurrency: a
      .text()
      .orNull()
      .from(({ paid }) => paid?.currency ?? null),
    last4: a
      .text()
      .orNull()
      .from(({ paid }) => paid?.cardLast4 ?? null),
    message: a
      .text("The gateway's description.")
      .orNull()
      .from(({ resultDescription }) => resultDescription),
    refund: a.value(words(["none", "unknown", "done"])),
  },
});

export interface PaymentLinkContext extends ActorContext<PortalLinkCreator> {
  urlOf(token: string): string;
  /** Null for a page, because the codes of two hundred links would be most of the response. */
  readonly qr: string | null;
}

const m = resourceOf<PortalLinkRecord, PaymentLinkContext>();
/**
 * Shown by lists, GET /payment-links/{id}, the responses of changes and the events
 * `payment_link.*`.
 */
export const paymentLink = m.resource({
  title: "PaymentLink",
  members: {
    id: m.text(),
    url: m.text("Address for the customer. Anyone who has it may pay.").from(({ token }, { urlOf }) => urlOf(token)),
    qr: m
      .text("The address as a QR code image: `data:image/svg+xml;base64,...`. Null in lists.")
      .orNull()
      .from((_, { qr }) => qr),
    state: m.value(PaymentLinkState),
    late: m.boolean("True if the link was paid after it was cancelled or had expired."),
    paidTwice: m.boolean("True if more than one payment was made and not refunded.").from(isPaidTwice),
    amountMinor: m.integer().from(({ order }) => order.amountMinor),
    currency: m.text().from(({ order }) => order.currency),
    description: m.text().from(({ order }) => order.description),
    reference: m
      .text()
      .orNull()
      .from(({ order }) => order.reference),
    customerEmail: m
      .text("Masked for roles that do not see personal data.")
      .personal(maskedEmail)
      .orNull()
      .from(({ order }) => order.customerEmail),
    createdAt: m.time("when the link was created."),
    createdBy: m
      .text(
        "Display name of the creator: the user's e-mail address (masked for roles that do not see personal data), `Former user`, `API key`, or `AI agent`.",
      )
      .from(({ createdBy }, { names }) => names(createdBy, true).by)
      .personal((_, { createdBy }, { names }) => names(createdBy, false).by),
    creator: m
      .value(
        words(["user", "former_user", "key", "agent"], {
          description: "The kind of `createdBy`: a user of the merchant, a former user, an API key, or an AI agent.",
        }),
      )
      .from(({ createdBy }, { names }) => names(createdBy).byType),
    expiresAt: m.time("until when the link can be paid.").from(({ order }) => order.expiresAtMs),
    paidAt: m.time("when the link was paid.").orNull(),
    cancelledAt: m.time("when the link was cancelled.").orNull(),
    mails: m.integer("How many times the link was sent.").from(({ mails }) => mails.length),
    attempts: m.list(attempt),
    /** Only events have this member. */
    payments: m.value(Type.Array(Type.Unknown())).from(({ attempts }) => attempts.flatMap(paymentOf)),
  },
  views: {
    full: [
      ["id", "url", "qr", "state", "late", "paidTwice", "amountMinor", "currency", "description", "reference", "customerEmail"],
      ["createdAt", "createdBy", "creator", "expiresAt", "paidAt", "cancelledAt", "mails", "attempts"],
    ],
    // Readers of a delivery must not learn the customer, and must not be able to pay.
    webhook: [
      ["state", "late", "paidTwice", "amountMinor", "currency", "reference", "createdAt", "expiresAt", "paidAt", "cancelledAt", "payments"],
    ],
  },
  example: {
    record: {
      ...{ schema: 1, id: "pl_4f0k2m9x7q1c8v5b3n6z0a2s", token: "7Y2mBqN0cKxE4rTgVdW1aP", merchantId: "SHOP-001", partnerId: 1 },
      ...{ livemode: true, state: "PENDING", late: false, createdBy: { type: "key" }, attempts: [], mails: [], nextAtMs: null, events: 0 },
      order: {
        ...{ amountMinor: 1050, currency: "EUR", description: "Dinner on Thursday", reference: "T-7", customerEmail: "ada@example.com" },
        expiresAtMs: Date.parse("2026-12-02T10:00:00.000Z"),
      },
      ...{ createdAtMs: Date.parse("2026-11-25T10:00:00.000Z"), updatedAtMs: 0, paidAtMs: null, cancelledAtMs: null },
    },
    context: { ...EXAMPLE_CONTEXT, urlOf: (token) => `https://relay.example/l/${token}`, qr: "data:image/svg+xml;base64,..." },
  },
});

function paymentOf({ txId, paid, refund }: PortalLinkAttempt): object[] {
  if (paid === null) return [];
  const { atMs, amountMinor, currency, cardLast4 } = paid;
  return [{ uuid: txId, paidAt: iso(atMs), amountMinor, currency, last4: cardLast4, refund }];
}

export const paymentLinkObject = (record: PortalLinkRecord) => webhookObject("payment_link", paymentLink, record);

export type PaymentLinkJson = Static<typeof paymentLink.schema>;
