import { type Static, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX, SAVED_VIEWS_MAX, THEMES } from "../../../../engine/accounts/account.ts";
import { FactorMethod, PasskeyItem, type RecoveryCodes, type TotpBegun } from "../../parts/factor-schemas.ts";
import { Environment, LocaleWord, MerchantRole, RelayMode, SessionStage, words } from "../../parts/schemas.ts";
import { NewPassword, nullable, Password, time } from "../schema-parts.ts";

/**
 * The JSON of sign-in, of sessions and of a person's own account. Endpoints declare it, and the
 * portal's pages take their types from it.
 */

const Email = Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX });
const ThemeSchema = words(THEMES, { title: "Theme" });

const SessionMerchant = Type.Object(
  {
    merchantId: Type.String(),
    merchantName: Type.String(),
    environment: Environment,
    role: MerchantRole,
  },
  { title: "PortalSessionMerchant" },
);

/**
 * GET, POST /session; POST /session/second-factor, /session/passkey, /session/merchant,
 * /session/step-up.
 */
export const SessionState = Type.Object(
  {
    stage: SessionStage,
    methods: Type.Array(FactorMethod, { description: "The account's second factors." }),
    /** Known from the stage `factor` on. */
    email: nullable(Type.String()),
    userId: nullable(Type.String()),
    /**
     * Set at the stage `full`: the merchant of the session, and the other merchants it may switch
     * to.
     */
    merchant: nullable(SessionMerchant),
    merchants: Type.Array(SessionMerchant),
    locale: LocaleWord,
    theme: ThemeSchema,
    steppedUpUntil: nullable(time("until when a fresh second factor is valid.")),
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
    createdAt: time("when the session was signed in."),
    lastUsedAt: time("when the session was last used, to the minute."),
    ipAddress: Type.String(),
    userAgent: Type.String({ description: "The browser's name as it reports it, shortened." }),
  },
  { title: "PortalSessionItem" },
);

// --- me ---

const SavedViewSchema = Type.Object(
  {
    list: Type.String({ pattern: "^[a-z-]{1,32}$" }),
    name: Type.String({ minLength: 1, maxLength: 64 }),
    query: Type.String({ maxLength: 1_024, description: "The page's query string, without the question mark." }),
  },
  // A request has the same members and accepts no others.
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
      Type.Array(SavedViewSchema, {
        maxItems: SAVED_VIEWS_MAX * 8,
        description: `All saved views; at most ${SAVED_VIEWS_MAX} for each list.`,
      }),
    ),
    seen: Type.Optional(
      Type.Object(
        { savedViews: Type.Array(SavedViewSchema, { maxItems: SAVED_VIEWS_MAX * 8 }) },
        {
          description:
            "The views as the caller last read them: the response is 409 (`conflict`) if another browser has changed them since. The relay does not compare them if this is absent.",
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

export type SessionStateJson = Static<typeof SessionState>;
export type SessionItemJson = Static<typeof SessionItem>;
export type MeJson = Static<typeof Me>;
export type FactorEnrolledJson = Static<typeof FactorEnrolled>;
export type TotpBegunJson = Static<typeof TotpBegun>;
export type RecoveryCodesJson = Static<typeof RecoveryCodes>;
