import { Type } from "@sinclair/typebox";
import { described } from "../../endpoint/described.ts";

/** The JSON of second factors, the same for people of the portal and for administrators. */

const time = (description: string) => Type.String({ description: `ISO 8601 in UTC: ${description}` });

export const FactorMethod = Type.Union([Type.Literal("totp"), Type.Literal("passkey"), Type.Literal("recovery")], {
  title: "FactorMethod",
});

/** One of the two. A code has 6 digits; recovery codes look like `abcd-efgh-jkmn`. */
export const SecondFactor = Type.Object(
  {
    code: Type.Optional(Type.String({ maxLength: 16 })),
    recoveryCode: Type.Optional(Type.String({ maxLength: 64 })),
  },
  { title: "SecondFactor" },
);

/** WebAuthn's own JSON (`PublicKeyCredentialRequestOptionsJSON`, `...CreationOptionsJSON`, `AuthenticationResponseJSON`, `RegistrationResponseJSON`). */
export const WebAuthnJson = Type.Record(Type.String(), Type.Unknown(), { title: "WebAuthnJson" });
export const PasskeyAnswer = Type.Object({ response: WebAuthnJson }, { title: "PasskeyAnswer" });

/** A second factor of a session that is signed in: one of the three. */
export const StepUp = Type.Object(
  {
    ...SecondFactor.properties,
    response: Type.Optional(described(WebAuthnJson, "Of a passkey, to POST /session/passkey/options.")),
  },
  { title: "StepUp" },
);

export const PasskeyItem = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    createdAt: time("when it was registered."),
    lastUsedAt: Type.Union([time("when it was used."), Type.Null()]),
  },
  { title: "Passkey" },
);

/** What begins to add an authenticator app; nothing changes before a code of it is confirmed. */
export const TotpBegun = Type.Object(
  {
    secret: Type.String({ description: "base32" }),
    uri: Type.String({ description: "otpauth://" }),
    qr: Type.String({ description: "The same as an image: `data:image/svg+xml;base64,...`" }),
  },
  { title: "TotpEnrolment" },
);
export const TotpConfirm = Type.Object({ code: Type.String({ maxLength: 16 }) }, { title: "TotpConfirmation" });

/** Recovery codes are shown once: where there were none, and where new ones are made. */
export const RecoveryCodes = Type.Object({ recoveryCodes: Type.Array(Type.String()) }, { title: "RecoveryCodes" });
export const PasskeyRegistration = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 64 }), response: WebAuthnJson },
  { title: "PasskeyRegistration" },
);

/** An answer of an authenticator has some hundred bytes, with an RSA key and extensions a few thousand. */
export const PASSKEY_BYTES_MAX = 65_536;

/** An answer that hands out a secret is kept by no cache, and never compressed (http/server/compression.ts). */
export const NO_STORE = { "Cache-Control": "no-store" } as const;
export const NoStore = { "Cache-Control": { description: "no-store" } };

export const SetCookie = { "Set-Cookie": { description: "The session's new token, or its end." } };

/** What a browser says of itself; a list of sessions shows it. */
export const ClientHeaders = Type.Object({
  "user-agent": Type.Optional(Type.String({ parameterName: "UserAgent", description: "Shown in the list of sessions." })),
});
