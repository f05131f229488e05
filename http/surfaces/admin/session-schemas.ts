import { type Static, Type } from "@sinclair/typebox";
import { FactorMethod, PasskeyItem } from "../parts/factor-schemas.ts";
import { AdministratorRoleWord, RelayMode, SessionStage } from "../parts/schemas.ts";

/**
 * The JSON of the sign-in of administrators (`/admin/session...`), once: endpoints declare it, the
 * operators' pages take their types from it. Every answer is `{status: "ok", data}` with one of
 * these as `data`. What a sign-in sends beside these stands in http/surfaces/parts/factor-schemas.ts:
 * `SecondFactor`, `StepUp`, `PasskeyAnswer`, `WebAuthnJson`, `TotpBegun`, `TotpConfirm`,
 * `PasskeyRegistration`, `RecoveryCodes`.
 *
 * Every request of a page has the header `X-Relay-Portal: 1`, reading ones too: then a 401 does not
 * have the browser ask for a password. Errors have a `code`: `invalid_login`, `invalid_code`,
 * `step_up_required` (403: POST /admin/session/step-up first, and repeat), `second_factor_required`
 * (403, a login without a session), `csrf`, `last_factor` (409), else that of the status.
 */

const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()]);

/** GET, POST, DELETE /admin/session; POST /admin/session/second-factor, /admin/session/passkey, /admin/session/step-up. */
export const AdminSessionState = Type.Object(
  {
    stage: SessionStage,
    methods: Type.Array(FactorMethod, { description: "The administrator's second factors." }),
    /** Known from the stage `factor` on. */
    username: nullable(Type.String()),
    role: Type.Union([AdministratorRoleWord, Type.Null()]),
    steppedUpUntil: nullable(Type.String({ description: "ISO 8601 in UTC: until when a fresh second factor is valid." })),
    timeZone: Type.String({ description: "The installation's time zone (IANA), in which the pages show times." }),
    /** Whether passkeys can be used at the address of this installation. */
    passkeys: Type.Boolean(),
    mode: RelayMode,
  },
  { title: "AdminSession" },
);
/** POST /admin/session. */
export const AdminSignIn = Type.Object(
  {
    username: Type.String({ minLength: 1, maxLength: 64 }),
    password: Type.String({ minLength: 1, maxLength: 1_024 }),
  },
  { title: "AdminSignIn" },
);
/** GET /admin/factors: what the administrator who is signed in has. */
export const AdminFactors = Type.Object(
  {
    totp: Type.Boolean(),
    passkeys: Type.Array(PasskeyItem),
    recoveryCodesLeft: Type.Integer(),
  },
  { title: "AdminFactors" },
);
/** POST /admin/factors/totp/confirm, POST /admin/factors/passkeys. `recoveryCodes`: shown this once, where there were none. */
export const AdminFactorEnrolled = Type.Object(
  {
    recoveryCodes: Type.Union([Type.Array(Type.String()), Type.Null()]),
    session: AdminSessionState,
  },
  { title: "AdminFactorEnrolled" },
);

/** GET /admin/search?uuid=: everything that has this uuid or id. */
export const SearchHit = Type.Object(
  {
    kind: Type.Union([
      Type.Literal("command"),
      Type.Literal("result"),
      Type.Literal("link"),
      Type.Literal("payment_intent"),
      Type.Literal("payment_link"),
      Type.Literal("subscription"),
      Type.Literal("dispute"),
      Type.Literal("alert"),
      Type.Literal("register_payment"),
    ]),
    id: Type.String(),
    terminalId: nullable(Type.String()),
    merchantId: nullable(Type.String()),
    /** The state in the words of its kind: QUEUED, SENT, OK, KO, success, requires_action, PENDING, ... */
    state: Type.String(),
    amountMinor: Type.Union([Type.Integer(), Type.Null()]),
    currency: nullable(Type.String()),
    createdAt: nullable(Type.String()),
    updatedAt: nullable(Type.String()),
    /** What happened, oldest first, as far as it is kept. No personal data. */
    timeline: Type.Array(Type.Object({ at: Type.String(), what: Type.String(), detail: nullable(Type.String()) })),
    /** Operators' attention items about it, by kind. */
    attention: Type.Array(Type.String()),
  },
  { title: "SearchHit" },
);
/** Something that operators administer. The name is the partner's name or the merchant's. */
const SearchPlace = Type.Object(
  {
    kind: Type.Union([Type.Literal("terminal"), Type.Literal("merchant"), Type.Literal("partner"), Type.Literal("node")]),
    id: Type.String(),
    name: nullable(Type.String()),
  },
  { title: "SearchPlace" },
);
export const SearchResult = Type.Object(
  {
    items: Type.Array(SearchHit),
    clickhouse: Type.Union([Type.Literal("asked"), Type.Literal("away")]),
    places: Type.Array(SearchPlace),
    near: Type.Array(SearchPlace),
  },
  { title: "SearchResult" },
);

export type AdminSessionStateJson = Static<typeof AdminSessionState>;
export type AdminFactorsJson = Static<typeof AdminFactors>;
export type AdminFactorEnrolledJson = Static<typeof AdminFactorEnrolled>;
export type SearchHitJson = Static<typeof SearchHit>;
export type SearchResultJson = Static<typeof SearchResult>;
