import { type Static, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX, PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, SAVED_VIEWS_MAX, THEMES } from "../../../engine/accounts/account.ts";
import { USERS_MAX } from "../../../engine/accounts/team.ts";
import { LINK_TEXT_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import { NO_CONTROL_CHARACTERS } from "../../../engine/kernel/well-formed.ts";
import {
  PORTAL_LINK_HOURS_DEFAULT,
  PORTAL_LINK_HOURS_MAX,
  PORTAL_LINK_HOURS_MIN,
  PORTAL_LINK_STATES,
} from "../../../engine/portal-links/portal-link.ts";
import { WEBHOOK_ENDPOINTS_MAX } from "../../../engine/webhooks/webhook-endpoint.ts";
import { DAY } from "../day.ts";
import { CustomerEmail, PersonEmail, ReachableEmail } from "../email.ts";
import {
  FactorMethod,
  PasskeyAnswer,
  PasskeyItem,
  PasskeyRegistration,
  RecoveryCodes,
  SecondFactor,
  TotpBegun,
  TotpConfirm,
  WebAuthnJson,
} from "../factor-schemas.ts";
import {
  AuditOutcome,
  CardEntry,
  ConnectionStatus,
  ConnectionType,
  Environment,
  LocaleWord,
  MerchantRole,
  RelayMode,
  ResultStatus,
  ServiceMode,
  ServiceWord,
  SessionStage,
  UserState,
  WebhookDisabledReason,
  WebhookFormat,
  WebhookStatus,
  words,
} from "../named-words.ts";
import { ServiceMembers } from "../service-configuration.ts";
import { AlertOfPayment, DisputeOfPayment } from "./disputes/schemas.ts";
import { Currency, Day, FromDay, nullable, ToDay, time } from "./schema-parts.ts";

/**
 * The JSON of `/api/merchant`, once: endpoints declare it, the portal's pages take their types from it. Times are ISO 8601 in UTC; amounts are integers in minor units
 * of the currency. Every answer is `{status: "ok", data}` with one of these as `data`.
 */

export const Email = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX });
export const Password = Type.String({ minLength: 1, maxLength: 1_024 });
export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX });
export { LocaleWord as LocaleSchema, MerchantRole as Role };
export const ThemeSchema = words(THEMES, { title: "Theme" });

// --- session -------------------------------------------------------------------------------------------------------------------------------------------

export { FactorMethod, PasskeyAnswer, PasskeyItem, PasskeyRegistration, RecoveryCodes, SecondFactor, TotpBegun, TotpConfirm, WebAuthnJson };

export const SessionMerchant = Type.Object(
  {
    merchantId: Type.String(),
    merchantName: Type.String(),
    environment: Environment,
    role: MerchantRole,
  },
  { title: "PortalSessionMerchant" },
);

/** GET, POST /session; POST /session/second-factor, /session/passkey, /session/merchant, /session/step-up. */
export const SessionState = Type.Object(
  {
    stage: SessionStage,
    methods: Type.Array(FactorMethod, { description: "What the account has as a second factor." }),
    /** Known from the stage `factor` on. */
    email: nullable(Type.String()),
    userId: nullable(Type.String()),
    /** With stage `full`: where the session is, and where else it may go. */
    merchant: nullable(SessionMerchant),
    merchants: Type.Array(SessionMerchant),
    locale: LocaleWord,
    theme: ThemeSchema,
    steppedUpUntil: nullable(time("until when a fresh second factor counts.")),
    timeZone: Type.String({ description: "The installation's time zone (IANA), in which the portal shows times." }),
    /** Whether passkeys can be used at the address of this installation. */
    passkeys: Type.Boolean(),
    mode: RelayMode,
  },
  { title: "PortalSession" },
);

export const SignIn = Type.Object({ email: Email, password: Password }, { title: "PortalSignIn" });
export const ChooseMerchant = Type.Object({ merchantId: Type.String({ maxLength: 64 }) }, { title: "PortalMerchantChoice" });

/** GET /sessions. */
export const SessionItem = Type.Object(
  {
    sessionId: Type.String(),
    current: Type.Boolean(),
    createdAt: time("when it was signed in."),
    lastUsedAt: time("to the minute."),
    ipAddress: Type.String(),
    userAgent: Type.String({ description: "As the browser says, cut." }),
  },
  { title: "PortalSessionItem" },
);

// --- me ------------------------------------------------------------------------------------------------------------------------------------------------

export const SavedViewSchema = Type.Object(
  {
    list: Type.String({ pattern: "^[a-z-]{1,32}$" }),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    query: Type.String({ maxLength: 1_024, description: "The query of the page, without the question mark." }),
  },
  // The same in a request, which takes no other members.
  { title: "SavedView", additionalProperties: false },
);
/** GET, PATCH /me. */
export const Me = Type.Object(
  {
    email: Type.String(),
    locale: LocaleWord,
    theme: ThemeSchema,
    totp: Type.Boolean(),
    passkeys: Type.Array(PasskeyItem),
    recoveryCodesLeft: Type.Integer(),
    savedViews: Type.Array(SavedViewSchema),
  },
  { title: "PortalAccount" },
);
export const MeChange = Type.Object(
  {
    locale: Type.Optional(LocaleWord),
    theme: Type.Optional(ThemeSchema),
    savedViews: Type.Optional(
      Type.Array(SavedViewSchema, { maxItems: SAVED_VIEWS_MAX * 8, description: `All of them; at most ${SAVED_VIEWS_MAX} a list.` }),
    ),
    seen: Type.Optional(
      Type.Object(
        { savedViews: Type.Array(SavedViewSchema, { maxItems: SAVED_VIEWS_MAX * 8 }) },
        {
          description:
            "What the views were when they were changed: 409 (`conflict`) where another browser has changed them since. Not compared if absent.",
        },
      ),
    ),
  },
  { title: "PortalAccountChange" },
);
/** POST /me/password. */
export const PasswordChange = Type.Object({ password: Password, newPassword: NewPassword }, { title: "PortalPasswordChange" });
/** POST /me/totp/confirm, POST /me/passkeys. */
export const FactorEnrolled = Type.Object(
  { recoveryCodes: nullable(Type.Array(Type.String())), session: SessionState },
  { title: "PortalFactorEnrolled" },
);

// --- password and invitations -------------------------------------------------------------------------------------------------------------------------

export const ForgotPassword = Type.Object({ email: PersonEmail }, { title: "ForgottenPassword" });
export const ResetPassword = Type.Object({ token: Type.String({ maxLength: 64 }), password: NewPassword }, { title: "PasswordReset" });
/** GET /invitations/{token}. `hasAccount`: the person signs in with the account that it has, and chooses no password. */
export const Invitation = Type.Object(
  {
    email: Type.String(),
    merchantName: Type.String(),
    role: MerchantRole,
    hasAccount: Type.Boolean(),
    locale: LocaleWord,
    expiresAt: time("when it ends."),
  },
  { title: "Invitation" },
);
/** POST /invitations/{token}/accept answers a SessionState (stage `enrol` for a new account). `password`: the new one, or that of the account there is. */
export const AcceptInvitation = Type.Object({ password: Password, locale: Type.Optional(LocaleWord) }, { title: "InvitationAcceptance" });

// --- users ---------------------------------------------------------------------------------------------------------------------------------------------

export const User = Type.Object(
  {
    userId: Type.String(),
    email: Type.String({ description: "Masked (`m***@example.com`) for roles that do not see personal data." }),
    role: MerchantRole,
    state: UserState,
    you: Type.Boolean(),
    secondFactor: Type.Boolean(),
    invitedAt: time("when it was invited."),
    invitationExpiresAt: nullable(time("when the open invitation ends.")),
    joinedAt: nullable(time("when it accepted.")),
  },
  { title: "TeamMember" },
);
export const Users = Type.Object({ items: Type.Array(User), max: Type.Integer({ default: USERS_MAX }) }, { title: "Team" });
export const InviteUser = Type.Object(
  { email: ReachableEmail, role: MerchantRole, locale: Type.Optional(LocaleWord) },
  { title: "TeamInvitation" },
);
export const UserChange = Type.Object(
  {
    role: Type.Optional(MerchantRole),
    state: Type.Optional(Type.Union([Type.Literal("ACTIVE"), Type.Literal("DISABLED")])),
    seen: Type.Optional(
      Type.Object(
        { role: MerchantRole, state: UserState },
        {
          description:
            "What the user was when it was decided: 409 (`conflict`) where somebody else has changed it since. Not compared if absent.",
        },
      ),
    ),
  },
  { title: "TeamMemberChange" },
);

// --- transactions --------------------------------------------------------------------------------------------------------------------------------------

export const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;
export const Method = words(METHODS, { title: "PaymentMethodWord" });
/** Filters of the list and of its CSV, as a query. */
export const TRANSACTION_FILTERS = {
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
  status: Type.Optional(ResultStatus),
  method: Type.Optional(Method),
  terminalId: Type.Optional(Type.String({ maxLength: 64 })),
  amountMin: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: "Minor units." })),
  amountMax: Type.Optional(Type.Integer({ minimum: 0, maximum: 999_999_999_999, description: "Minor units." })),
  currency: Type.Optional(Currency),
  last4: Type.Optional(Type.String({ pattern: "^[0-9]{4}$" })),
  authCode: Type.Optional(Type.String({ minLength: 1, maxLength: 32 })),
  q: Type.Optional(
    Type.String({
      minLength: 4,
      maxLength: 64,
      description: "A uuid or its beginning, an authorization code, or the last four digits of a card.",
    }),
  ),
};
export const PAGE_QUERY = {
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50, parameterName: "PortalPageSize" }),
  cursor: Type.Optional(Type.String({ maxLength: 256, parameterName: "PortalCursor", description: "The `next` of the page before." })),
};

export const TransactionItem = Type.Object(
  {
    uuid: Type.String(),
    createdAt: time("when the relay stored the result."),
    terminalId: Type.String(),
    method: Method,
    status: ResultStatus,
    amountMinor: Type.Integer(),
    currency: Type.String(),
    brand: nullable(Type.String()),
    last4: nullable(Type.String()),
    authCode: nullable(Type.String()),
    message: nullable(Type.String()),
  },
  { title: "PortalTransaction" },
);

/** GET /transactions/{uuid}. */
export const TransactionDetail = Type.Object(
  {
    ...TransactionItem.properties,
    actionCode: nullable(Type.String()),
    stan: nullable(Type.String()),
    entry: nullable(CardEntry),
    maskedPan: nullable(Type.String()),
    amountDiffers: Type.Boolean({ description: "The terminal's amount is not that of the command." }),
    unsolicited: Type.Boolean({ description: "The terminal posted it without a command." }),
    satispay: nullable(Type.Object({ paymentId: nullable(Type.String()), status: nullable(Type.String()) })),
    hasReceipt: Type.Boolean(),
    /** What happened, oldest first; from the life of the command where it is still kept. */
    timeline: Type.Array(
      Type.Object({
        what: Type.Union([
          Type.Literal("accepted"),
          Type.Literal("sent"),
          Type.Literal("result"),
          Type.Literal("capture"),
          Type.Literal("reversal"),
          Type.Literal("refund"),
        ]),
        at: time("when."),
        amountMinor: nullable(Type.Integer()),
        state: nullable(Type.String()),
      }),
    ),
    /** Why it cannot be refunded from here, where it cannot: a terminal's payment is refunded on the terminal. */
    refund: Type.Object({ possible: Type.Boolean(), reason: nullable(Type.String()) }),
    disputes: Type.Array(DisputeOfPayment, { description: "Oldest first." }),
    alerts: Type.Array(AlertOfPayment, { description: "Oldest first." }),
  },
  { title: "PortalTransactionDetail" },
);

/** GET /transactions/{uuid}/receipt: lines to print. */
export const Receipt = Type.Object(
  {
    merchantName: Type.String(),
    terminalId: Type.String(),
    createdAt: time("when it was paid."),
    lines: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
      description: "In the order in which they are printed; labels are keys of the catalogues: method, status, amount, card, authCode, ...",
    }),
    text: nullable(Type.String({ description: "The terminal's own receipt as text, where it sent one." })),
  },
  { title: "PortalReceipt" },
);

// --- overview ------------------------------------------------------------------------------------------------------------------------------------------

export const Sums = Type.Object(
  {
    currency: Type.String(),
    volumeMinor: Type.Integer({ description: "Sum of approved CARD, SATISPAY, VOUCHER and PAYBYLINK." }),
    approved: Type.Integer(),
    declined: Type.Integer({ description: "Without links that expired." }),
  },
  { title: "TransactionSums" },
);
const HourSums = Type.Object(
  {
    hour: Type.Integer({ minimum: 0, maximum: 24, description: "Hours since the day began." }),
    ...Sums.properties,
  },
  { title: "HourlyTransactionSums" },
);

/** GET /overview. With `day`: that day as a whole, against the same weekday a week before. */
export const Overview = Type.Object(
  {
    day: Day,
    asOf: time("when it was counted."),
    /** Whether the day is over. */
    complete: Type.Boolean(),
    today: Type.Array(Sums),
    /** The same weekday a week before, up to the same time of day. */
    before: Type.Array(Sums),
    hours: Type.Array(HourSums),
    hoursBefore: Type.Array(HourSums),
    byMethod: Type.Array(Type.Object({ method: Method, ...Sums.properties })),
    byTerminal: Type.Array(Type.Object({ terminalId: Type.String(), ...Sums.properties })),
    terminals: Type.Object({ online: Type.Integer(), total: Type.Integer() }),
    /** What waits for somebody, by its time. */
    tasks: Type.Array(Type.Object({ kind: Type.String(), subject: Type.String(), dueAt: nullable(time("until when.")) })),
  },
  { title: "PortalOverview" },
);

// --- terminals, audit ----------------------------------------------------------------------------------------------------------------------------------

export const TerminalItem = Type.Object(
  {
    terminalId: Type.String(),
    connectionStatus: ConnectionStatus,
    connectionType: nullable(ConnectionType),
    connectedSince: nullable(time("when ONLINE.")),
    lastSeen: nullable(time("the last sign of life.")),
    model: nullable(Type.String()),
    appVersion: nullable(Type.String()),
    group: nullable(Type.String()),
    lastResult: nullable(TransactionItem),
  },
  { title: "PortalTerminal" },
);
/** GET /terminals: all of the merchant's, by id. `lastResult` is null in the list where ClickHouse is away, and `resultsAway` says so. */
export const Terminals = Type.Object(
  { items: Type.Array(TerminalItem), resultsAway: Type.Boolean(), asOf: time("when it was read.") },
  { title: "PortalTerminals" },
);

export const AuditItem = Type.Object(
  {
    id: Type.String(),
    at: time("when it was begun."),
    actor: Type.String({
      description: "An e-mail address, masked for roles that do not see personal data; `API key` for a merchant's key.",
    }),
    ipAddress: nullable(Type.String()),
    action: Type.String({ description: "`noun.verb`" }),
    subject: Type.String(),
    members: Type.Array(Type.String()),
    outcome: AuditOutcome,
    code: nullable(Type.String({ description: "Why it was refused." })),
    note: nullable(Type.String({ description: "Why, in the words of whoever did it; null for roles that do not see personal data." })),
    requestId: Type.String(),
  },
  { title: "PortalAuditEntry" },
);

// --- payment links -------------------------------------------------------------------------------------------------------------------------------------

export const PaymentLinkState = words(PORTAL_LINK_STATES, { title: "PaymentLinkState" });
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
export const PaymentLinkAttempt = Type.Object(
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
/** POST /transactions/{uuid}/refund. Whole only. */
export const RefundTransaction = Type.Object(
  {
    reason: Type.Optional(Type.String({ maxLength: 255, description: "For the audit log." })),
  },
  { title: "PortalRefundRequest" },
);
export const Refund = Type.Object(
  {
    uuid: Type.String(),
    type: Type.Union([Type.Literal("refund"), Type.Literal("reversal")], { description: "`reversal`: it had not been captured yet." }),
    amountMinor: Type.Integer(),
    currency: Type.String(),
    at: time("when it was asked for."),
  },
  { title: "PortalRefund" },
);

// --- payment methods, keys -----------------------------------------------------------------------------------------------------------------------------

/** GET /payment-methods (only what the partner permits), and the answer of every change. */
export const PaymentMethod = Type.Object(
  {
    service: ServiceWord,
    description: Type.String(),
    enabled: Type.Boolean(),
    configured: Type.Boolean(),
    mode: nullable(ServiceMode),
    members: ServiceMembers,
    values: Type.Record(Type.String(), Type.String(), {
      description: "What is stored, by name, without `mode`. Secrets are shown as a mask, long ones with their last four characters.",
    }),
    updatedAt: nullable(time("when it was configured; null until then.")),
  },
  { title: "PaymentMethod" },
);
export const PaymentMethods = Type.Object({ items: Type.Array(PaymentMethod) }, { title: "PaymentMethods" });

/** GET /keys. Null for a pair of before the relay kept what it may show of it. */
export const Keys = Type.Object(
  {
    publishableKey: nullable(Type.String({ description: "Whole: it is public." })),
    secretKeyPrefix: nullable(Type.String({ description: "The beginning of the secret key, which itself is not stored." })),
    createdAt: nullable(time("when this pair was made.")),
    environment: Environment,
  },
  { title: "PortalKeys" },
);
/** POST /keys: a new pair, shown once; the former one ends at once. */
export const NewKeys = Type.Object(
  {
    publishableKey: Type.String(),
    secretKey: Type.String(),
    createdAt: time("when this pair was made."),
  },
  { title: "PortalNewKeys" },
);

// --- webhooks ------------------------------------------------------------------------------------------------------------------------------------------

export const WebhookEndpointItem = Type.Object(
  {
    id: Type.String(),
    format: WebhookFormat,
    url: Type.String(),
    events: Type.Array(Type.String(), { description: "`*`: all of its format." }),
    description: nullable(Type.String()),
    status: WebhookStatus,
    disabledReason: nullable(WebhookDisabledReason),
    /** Until when the former secret signs too; null: it does not. */
    formerSecretUntil: nullable(time("until when the former secret signs too.")),
    createdAt: time("when it was created."),
    updatedAt: time("when it was last changed."),
  },
  { title: "PortalWebhookEndpoint" },
);
/** GET /webhooks. `events`: what each format offers. */
export const WebhookEndpointList = Type.Object(
  {
    items: Type.Array(WebhookEndpointItem),
    max: Type.Integer({ default: WEBHOOK_ENDPOINTS_MAX }),
    events: Type.Object({ portal: Type.Array(Type.String()), platform: Type.Array(Type.String()) }),
  },
  { title: "PortalWebhookEndpoints" },
);
export const CreateWebhookEndpoint = Type.Object(
  {
    format: Type.Optional(WebhookFormat),
    url: Type.String({ minLength: 1, maxLength: 2_048 }),
    events: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 }),
    description: Type.Optional(Type.String({ maxLength: 255 })),
  },
  { title: "PortalWebhookEndpointRequest" },
);
/** POST /webhooks, POST /webhooks/{id}/rotate-secret: the secret once. */
export const WebhookEndpointWithSecret = Type.Object(
  { endpoint: WebhookEndpointItem, secret: Type.String() },
  { title: "PortalWebhookEndpointWithSecret" },
);
/** PATCH /webhooks/{id}. `seen`: the `updatedAt` that was looked at; 409 `conflict` where it was changed since. */
export const ChangeWebhookEndpoint = Type.Object(
  {
    url: Type.Optional(Type.String({ minLength: 1, maxLength: 2_048 })),
    events: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { minItems: 1, maxItems: 100 })),
    description: Type.Optional(nullable(Type.String({ maxLength: 255 }))),
    status: Type.Optional(WebhookStatus),
    seen: Type.Optional(Type.String({ maxLength: 32 })),
  },
  { title: "PortalWebhookEndpointChange" },
);
export const DeliveryOutcome = Type.Union([Type.Literal("PENDING"), Type.Literal("DELIVERED"), Type.Literal("FAILED")], {
  title: "PortalDeliveryOutcome",
});
export const WebhookDelivery = Type.Object(
  {
    id: Type.String(),
    eventId: Type.String(),
    eventType: Type.String(),
    endpointId: Type.String(),
    /** Null where the endpoint is gone. */
    url: nullable(Type.String()),
    objectId: Type.String(),
    outcome: DeliveryOutcome,
    attempts: Type.Integer(),
    lastAttemptAt: nullable(time("when it was last tried.")),
    lastStatus: nullable(Type.Integer({ description: "The last answer's HTTP status." })),
    nextAttemptAt: nullable(time("when it is tried next.")),
    createdAt: time("when the event was fanned out."),
  },
  { title: "PortalWebhookDelivery" },
);
/** Filters of GET /webhooks/deliveries, beside PAGE_QUERY; newest first. */
export const WEBHOOK_ID = { pattern: "^we_[a-z0-9]{24}$", errorMessage: "must be we_ and 24 small letters or digits" };
export const DELIVERY_FILTERS = {
  endpointId: Type.Optional(Type.String(WEBHOOK_ID)),
  outcome: Type.Optional(DeliveryOutcome),
  eventType: Type.Optional(Type.String({ maxLength: 100 })),
  objectId: Type.Optional(Type.String({ maxLength: 100 })),
};
/** GET /webhooks/deliveries/{id}. */
export const WebhookDeliveryDetail = Type.Object(
  {
    ...WebhookDelivery.properties,
    /** The body as it is posted. */
    body: nullable(Type.String()),
    tries: Type.Array(
      Type.Object({
        at: time("when."),
        ms: nullable(Type.Integer()),
        status: nullable(Type.Integer()),
        answer: nullable(Type.String({ description: "The beginning of the answer, as text." })),
        problem: nullable(Type.String({ description: "Why there was no answer." })),
      }),
    ),
  },
  { title: "PortalWebhookDeliveryDetail" },
);
/** POST /webhooks/deliveries/resend-failed. */
export const ResendFailed = Type.Object(
  {
    endpointId: Type.Optional(Type.String({ ...WEBHOOK_ID, description: "Of this endpoint only." })),
    cursor: Type.Optional(Type.String({ maxLength: 256, description: "The `next` of the call before." })),
  },
  { title: "FailedDeliveriesRequest" },
);
export const ResentDeliveries = Type.Object(
  {
    resent: Type.Integer(),
    skipped: Type.Integer({
      description: "Not sent: a later event of the same object was delivered, it was sent again meanwhile, or its endpoint is disabled.",
    }),
    more: Type.Boolean({ description: "Whether there are more than one call looks at; call again with `cursor`." }),
    next: nullable(Type.String({ description: "The `cursor` of the next call; null where there is no more." })),
  },
  { title: "ResentDeliveries" },
);

// --- logs ----------------------------------------------------------------------------------------------------------------------------------------------

/** Filters of GET /logs/workflow and GET /logs/calls, beside PAGE_QUERY; newest first. */
export const LOG_FILTERS = {
  from: Type.Optional(FromDay),
  to: Type.Optional(ToDay),
  objectId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  requestId: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
  outcome: Type.Optional(words(["done", "refused", "failed"], { title: "LogOutcome" })),
};
export const WorkflowLogItem = Type.Object(
  {
    id: Type.String(),
    at: time("when."),
    objectType: Type.String(),
    objectId: Type.String(),
    event: Type.String(),
    from: nullable(Type.String()),
    to: Type.String(),
    outcome: Type.String(),
    requestId: nullable(Type.String()),
  },
  { title: "WorkflowLogEntry" },
);
export const CallLogItem = Type.Object(
  {
    id: Type.String(),
    at: time("when it was begun."),
    target: Type.String(),
    operation: Type.String(),
    host: Type.String(),
    objectId: Type.String(),
    httpStatus: nullable(Type.Integer()),
    outcome: Type.String(),
    detail: nullable(Type.String()),
    ms: Type.Integer(),
    requestId: nullable(Type.String()),
  },
  { title: "CallLogEntry" },
);

export type PaymentLinkJson = Static<typeof PaymentLink>;
export type RefundJson = Static<typeof Refund>;
export type PaymentMethodJson = Static<typeof PaymentMethod>;
export type KeysJson = Static<typeof Keys>;
export type NewKeysJson = Static<typeof NewKeys>;
export type WebhookEndpointJson = Static<typeof WebhookEndpointItem>;
export type WebhookEndpointListJson = Static<typeof WebhookEndpointList>;
export type WebhookEndpointWithSecretJson = Static<typeof WebhookEndpointWithSecret>;
export type ResentDeliveriesJson = Static<typeof ResentDeliveries>;
export type WebhookDeliveryJson = Static<typeof WebhookDelivery>;
export type WebhookDeliveryDetailJson = Static<typeof WebhookDeliveryDetail>;
export type WorkflowLogJson = Static<typeof WorkflowLogItem>;
export type CallLogJson = Static<typeof CallLogItem>;
export type SessionStateJson = Static<typeof SessionState>;
export type MeJson = Static<typeof Me>;
export type UserJson = Static<typeof User>;
export type UsersJson = Static<typeof Users>;
export type TransactionItemJson = Static<typeof TransactionItem>;
export type TransactionDetailJson = Static<typeof TransactionDetail>;
export type ReceiptJson = Static<typeof Receipt>;
export type OverviewJson = Static<typeof Overview>;
export type TerminalItemJson = Static<typeof TerminalItem>;
export type TerminalsJson = Static<typeof Terminals>;
export type AuditItemJson = Static<typeof AuditItem>;
export type SessionItemJson = Static<typeof SessionItem>;
export type InvitationJson = Static<typeof Invitation>;
