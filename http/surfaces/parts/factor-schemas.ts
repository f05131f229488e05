import { Type } from "@sinclair/typebox";
import { described } from "../../endpoint/described.ts";

/** The JSON of second factors. People of the portal and administrators share it. */

const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });

export const FactorMethod = Type.Union([Type.Literal("totp"), Type.Literal("passkey"), Type.Literal("recovery")], {
  title: "FactorMethod",
});

/** Exactly one of the two. A code has 6 digits; a recovery code looks like `abcd-efgh-jkmn`. */
export const SecondFactor = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 16 })),
    recoveryCode: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { title: "SecondFactor" },
);

/**
 * The JSON of WebAuthn (`PublicKeyCredentialRequestOptionsJSON`, `...CreationOptionsJSON`,
 * `AuthenticationResponseJSON`, `RegistrationResponseJSON`).
 */
export const WebAuthnJson = Type.Record(Type.String(), Type.Unknown(), { title: "WebAuthnJson" });
export const PasskeyAnswer = Type.Object({ response: WebAuthnJson }, { title: "PasskeyAnswer" });

/** A second factor of a session that is signed in. Exactly one of the three. */
export const StepUp = Type.Object(
  {
    ...SecondFactor.properties,
    response: Type.Optional(described(WebAuthnJson, "The passkey's response to the options of POST /session/passkey/options.")),
  },
  { title: "StepUp" },
);

export const PasskeyItem = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    createdAt: time("when the factor was registered."),
    lastUsedAt: Type.Union([time("when the factor was last used."), Type.Null()]),
  },
  { title: "Passkey" },
);

/** The data to add an authenticator app. Nothing changes until one of its codes is confirmed. */
export const TotpBegun = Type.Object(
  {
    secret: Type.String({ description: "base32" }),
    uri: Type.String({ description: "otpauth://" }),
    qr: Type.String({ description: "The QR code of `uri` as an image: `data:image/svg+xml;base64,...`" }),
  },
  { title: "TotpEnrolment" },
);
export const TotpConfirm = Type.Object({ code: Type.String({ maxLength: 16 }) }, { title: "TotpConfirmation" });

/** Recovery codes are shown once, when they are created for the first time or again. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) }, { title: "RecoveryCodes" });
export const PasskeyRegistration = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64 }), response: WebAuthnJson },
  { title: "PasskeyRegistration" },
);

/**
 * The response of an authenticator has some hundred bytes, or a few thousand with an RSA key and
 * extensions.
 */
export const PASSKEY_BYTES_MAX = 65_536;

/** A response with a secret is never cached and never compressed (http/server/compression.ts). */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
export const NoStore = { "Cache-Control": { description: "no-store" } };

export const SetCookie = { "Set-Cookie": { description: "Sets the session's new token, or deletes the cookie." } };

/** The browser's description of itself. A list of sessions shows it. */
export const ClientHeaders = Type.Object({
  "user-agent": Type.Optional(
    Type.String({ parameterName: "UserAgent", description: "The browser's name, shown in the list of sessions." }),
  ),
});
