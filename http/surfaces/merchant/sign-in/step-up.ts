import { Type } from "@sinclair/typebox";
import { sessionPurpose } from "../../../../engine/accounts/sign-in.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { SecondFactor, WebAuthnJson } from "../schemas.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { codeProof, factorAnswer } from "./factor-proof.ts";
import { PASSKEY_BYTES_MAX } from "./passkey-session.ts";
import { ClientHeaders, clientOf, StateAndCookie, signInSurface } from "./surface.ts";

const StepUp = Type.Object({
  ...SecondFactor.properties,
  response: Type.Optional(
    Type.Unsafe<Record<string, unknown>>({ ...WebAuthnJson, description: "Of a passkey, to POST /session/passkey/options." }),
  ),
});

export const stepUp = signInSurface.endpoint({
  name: "portalStepUp",
  method: "POST",
  path: "/api/merchant/session/step-up",
  summary: "Show a fresh second factor",
  description:
    "For ten minutes it opens what needs one. Send `code`, `recoveryCode` or a passkey's `response`. Five wrong codes end the session.",
  auth: "merchantUser",
  may: "look",
  rateLimit: SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: StepUp,
  bodyExample: { code: "123456" },
  audit: { action: "session.step-up", subject: ({ caller }) => userOf(caller).email },
  responses: { 200: StateAndCookie, ...signInSurface.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body: { response, ...codes }, headers, request, caller }) => {
    const own = userOf(caller);
    if (response !== undefined && (codes.code !== undefined || codes.recoveryCode !== undefined))
      throw new RelayError("invalid_request", "Send one of `code`, `recoveryCode` and `response`");
    const proof = response === undefined ? codeProof(codes) : ({ type: "passkey", response, purpose: sessionPurpose(own) } as const);
    return factorAnswer(operations, await operations.signIn.stepUp(own, proof, clientOf(request, headers)));
  },
});
