import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { MERCHANT_ROLES } from "../../../engine/access/merchant-user-grant.ts";
import {
  EMAIL_LENGTH_MAX,
  LOCALES,
  PASSWORD_LENGTH_MAX,
  PASSWORD_LENGTH_MIN,
  SAVED_VIEWS_MAX,
  THEMES,
} from "../../../engine/accounts/account.ts";
import { USERS_MAX } from "../../../engine/accounts/team.ts";

/**
 * The JSON of `/api/merchant`, once: endpoints declare it, the portal's pages take their types from it. Times are ISO 8601 in UTC; amounts are integers in minor units
 * of the currency. Every answer is `{status: "ok", data}` with one of these as `data`.
 */

const words = <const T extends readonly string[]>(values: T) => Type.Union(values.map((value) => Type.Literal(value as T[number])));
const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });
const nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
/** `{items, next}`; `next` goes back as `cursor`, null where there is no more. */
export const listOf = <T extends TSchema>(item: T) =>
  Type.Object({
    items: Type.Array(item),
    next: nullable(Type.String({ description: "The `cursor` of the next page; null on the last." })),
  });

export const Email = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX });
export const Password = Type.String({ minLength: 1, maxLength: 1_024 });
export const NewPassword = Type.String({ minLength: PASSWORD_LENGTH_MIN, maxLength: PASSWORD_LENGTH_MAX });
export const Role = words(MERCHANT_ROLES);
export const LocaleSchema = words(LOCALES);
export const ThemeSchema = words(THEMES);
export const Environment = Type.Union([Type.Literal("TEST"), Type.Literal("LIVE")]);

// --- session -------------------------------------------------------------------------------------------------------------------------------------------

export const FactorMethod = Type.Union([Type.Literal("totp"), Type.Literal("passkey"), Type.Literal("recovery")]);

export const SessionMerchant = Type.Object({
  merchantId: Type.String(),
  merchantName: Type.String(),
  environment: Environment,
  role: Role,
});

/** GET, POST /session; POST /session/second-factor, /session/passkey, /session/merchant, /session/step-up. */
export const SessionState = Type.Object({
  stage: Type.Union([Type.Literal("none"), Type.Literal("factor"), Type.Literal("enrol"), Type.Literal("full")], {
    description:
      "`factor`: the second factor is missing; `enrol`: the account has none yet and has to enrol one; `none`: nobody is signed in.",
  }),
  methods: Type.Array(FactorMethod, { description: "What the account has as a second factor." }),
  /** Known from the stage `factor` on. */
  email: nullable(Type.String()),
  userId: nullable(Type.String()),
  /** With stage `full`: where the session is, and where else it may go. */
  merchant: nullable(SessionMerchant),
  merchants: Type.Array(SessionMerchant),
  locale: LocaleSchema,
  theme: ThemeSchema,
  steppedUpUntil: nullable(time("until when a fresh second factor counts.")),
  timeZone: Type.String({ description: "The installation's time zone (IANA), in which the portal shows times." }),
  /** Whether passkeys can be used at the address of this installation. */
  passkeys: Type.Boolean(),
  mode: Type.Union([Type.Literal("sandbox"), Type.Literal("production")]),
});

export const SignIn = Type.Object({ email: Email, password: Password });
/** One of the two. A code has 6 digits; recovery codes look like `abcd-efgh-jkmn`. */
export const SecondFactor = Type.Object({
  code: Type.Optional(Type.String({ maxLength: 16 })),
  recoveryCode: Type.Optional(Type.String({ maxLength: 64 })),
});
/** WebAuthn's own JSON (`PublicKeyCredentialRequestOptionsJSON`, `...CreationOptionsJSON`, `AuthenticationResponseJSON`, `RegistrationResponseJSON`). */
export const WebAuthnJson = Type.Record(Type.String(), Type.Unknown());
export const PasskeyAnswer = Type.Object({ response: WebAuthnJson });
export const ChooseMerchant = Type.Object({ merchantId: Type.String({ maxLength: 64 }) });

/** GET /sessions. */
export const SessionItem = Type.Object({
  sessionId: Type.String(),
  current: Type.Boolean(),
  createdAt: time("when it was signed in."),
  lastUsedAt: time("to the minute."),
  ipAddress: Type.String(),
  userAgent: Type.String({ description: "As the browser says, cut." }),
});

// --- me ------------------------------------------------------------------------------------------------------------------------------------------------

export const SavedViewSchema = Type.Object({
  list: Type.String({ pattern: "^[a-z-]{1,32}$" }),
  name: Type.String({ minLength: 1, maxLength: 64 }),
  query: Type.String({ maxLength: 1_024, description: "The query of the page, without the question mark." }),
});
export const PasskeyItem = Type.Object({
  id: Type.String(),
  name: Type.String(),
  createdAt: time("when it was registered."),
  lastUsedAt: nullable(time("when it was used.")),
});
/** GET, PATCH /me. */
export const Me = Type.Object({
  email: Type.String(),
  locale: LocaleSchema,
  theme: ThemeSchema,
  totp: Type.Boolean(),
  passkeys: Type.Array(PasskeyItem),
  recoveryCodesLeft: Type.Integer(),
  savedViews: Type.Array(SavedViewSchema),
});
export const MeChange = Type.Object({
  locale: Type.Optional(LocaleSchema),
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
});
/** POST /me/password. */
export const PasswordChange = Type.Object({ password: Password, newPassword: NewPassword });
/** POST /me/totp: begins; nothing changes before POST /me/totp/confirm. */
export const TotpBegun = Type.Object({
  secret: Type.String({ description: "base32" }),
  uri: Type.String({ description: "otpauth://" }),
  qr: Type.String({ description: "The same as an image: `data:image/svg+xml;base64,...`" }),
});
export const TotpConfirm = Type.Object({ code: Type.String({ maxLength: 16 }) });
/** Recovery codes are shown once: where the account had none, and by POST /me/recovery-codes. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) });
/** POST /me/totp/confirm, POST /me/passkeys. */
export const FactorEnrolled = Type.Object({ recoveryCodes: nullable(Type.Array(Type.String())), session: SessionState });
export const PasskeyRegistration = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }), response: WebAuthnJson });

// --- password and invitations -------------------------------------------------------------------------------------------------------------------------

export const ForgotPassword = Type.Object({ email: Email });
export const ResetPassword = Type.Object({ token: Type.String({ maxLength: 64 }), password: NewPassword });
/** GET /invitations/{token}. `hasAccount`: the person signs in with the account that it has, and chooses no password. */
export const Invitation = Type.Object({
  email: Type.String(),
  merchantName: Type.String(),
  role: Role,
  hasAccount: Type.Boolean(),
  locale: LocaleSchema,
  expiresAt: time("when it ends."),
});
/** POST /invitations/{token}/accept answers a SessionState (stage `enrol` for a new account). `password`: the new one, or that of the account there is. */
export const AcceptInvitation = Type.Object({ password: Password, locale: Type.Optional(LocaleSchema) });

// --- users ---------------------------------------------------------------------------------------------------------------------------------------------

const UserState = Type.Union([Type.Literal("INVITED"), Type.Literal("ACTIVE"), Type.Literal("DISABLED")]);
export const User = Type.Object({
  userId: Type.String(),
  email: Type.String({ description: "Masked (`m***@example.com`) for roles that do not see personal data." }),
  role: Role,
  state: UserState,
  you: Type.Boolean(),
  secondFactor: Type.Boolean(),
  invitedAt: time("when it was invited."),
  invitationExpiresAt: nullable(time("when the open invitation ends.")),
  joinedAt: nullable(time("when it accepted.")),
});
export const Users = Type.Object({ items: Type.Array(User), max: Type.Integer({ default: USERS_MAX }) });
export const InviteUser = Type.Object({ email: Email, role: Role, locale: Type.Optional(LocaleSchema) });
export const UserChange = Type.Object({
  role: Type.Optional(Role),
  state: Type.Optional(Type.Union([Type.Literal("ACTIVE"), Type.Literal("DISABLED")])),
  seen: Type.Optional(
    Type.Object(
      { role: Role, state: UserState },
      {
        description:
          "What the user was when it was decided: 409 (`conflict`) where somebody else has changed it since. Not compared if absent.",
      },
    ),
  ),
});

// --- transactions --------------------------------------------------------------------------------------------------------------------------------------

export const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;
export const Method = words(METHODS);
export const Status = Type.Union([Type.Literal("OK"), Type.Literal("KO")]);
export const Currency = Type.String({ pattern: "^[A-Z]{3}$" });
const Day = Type.String({ pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description: "A day in the installation's time zone." });

/** Filters of the list and of its CSV, as a query. */
export const TRANSACTION_FILTERS = {
  from: Type.Optional(Day),
  to: Type.Optional(Type.String({ ...Day, description: "The last day, included." })),
  status: Type.Optional(Status),
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
  limit: Type.Integer({ minimum: 1, maximum: 200, default: 50 }),
  cursor: Type.Optional(Type.String({ maxLength: 256 })),
};

export const TransactionItem = Type.Object({
  uuid: Type.String(),
  createdAt: time("when the relay stored the result."),
  terminalId: Type.String(),
  method: Method,
  status: Status,
  amountMinor: Type.Integer(),
  currency: Type.String(),
  brand: nullable(Type.String()),
  last4: nullable(Type.String()),
  authCode: nullable(Type.String()),
  message: nullable(Type.String()),
});

/** GET /transactions/{uuid}. */
export const TransactionDetail = Type.Object({
  ...TransactionItem.properties,
  actionCode: nullable(Type.String()),
  stan: nullable(Type.String()),
  entry: nullable(Type.Union([Type.Literal("MAN"), Type.Literal("ICC"), Type.Literal("NFC")])),
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
});

/** GET /transactions/{uuid}/receipt: lines to print. */
export const Receipt = Type.Object({
  merchantName: Type.String(),
  terminalId: Type.String(),
  createdAt: time("when it was paid."),
  lines: Type.Array(Type.Object({ label: Type.String(), value: Type.String() }), {
    description: "In the order in which they are printed; labels are keys of the catalogues: method, status, amount, card, authCode, ...",
  }),
  text: nullable(Type.String({ description: "The terminal's own receipt as text, where it sent one." })),
});

// --- overview ------------------------------------------------------------------------------------------------------------------------------------------

export const Sums = Type.Object({
  currency: Type.String(),
  volumeMinor: Type.Integer({ description: "Sum of approved CARD, SATISPAY, VOUCHER and PAYBYLINK." }),
  approved: Type.Integer(),
  declined: Type.Integer({ description: "Without links that expired." }),
});
const HourSums = Type.Object({
  hour: Type.Integer({ minimum: 0, maximum: 24, description: "Hours since the day began." }),
  ...Sums.properties,
});

/** GET /overview. With `day`: that day as a whole, against the same weekday a week before. */
export const Overview = Type.Object({
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
});

// --- terminals, audit ----------------------------------------------------------------------------------------------------------------------------------

export const TerminalItem = Type.Object({
  terminalId: Type.String(),
  connectionStatus: Type.Union([Type.Literal("ONLINE"), Type.Literal("OFFLINE"), Type.Literal("NEVER_CONNECTED")]),
  connectionType: nullable(Type.Union([Type.Literal("WEBSOCKET"), Type.Literal("POLLING")])),
  connectedSince: nullable(time("when ONLINE.")),
  lastSeen: nullable(time("the last sign of life.")),
  model: nullable(Type.String()),
  appVersion: nullable(Type.String()),
  group: nullable(Type.String()),
  lastResult: nullable(TransactionItem),
});
/** GET /terminals: all of the merchant's, by id. `lastResult` is null in the list where ClickHouse is away, and `resultsAway` says so. */
export const Terminals = Type.Object({ items: Type.Array(TerminalItem), resultsAway: Type.Boolean(), asOf: time("when it was read.") });

export const AuditItem = Type.Object({
  id: Type.String(),
  at: time("when it was begun."),
  actor: Type.String({ description: "An e-mail address, masked for roles that do not see personal data; `API key` for a merchant's key." }),
  ipAddress: nullable(Type.String()),
  action: Type.String({ description: "`noun.verb`" }),
  subject: Type.String(),
  members: Type.Array(Type.String()),
  outcome: Type.Union([Type.Literal("begun"), Type.Literal("done"), Type.Literal("refused")]),
  code: nullable(Type.String({ description: "Why it was refused." })),
  requestId: Type.String(),
});

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
