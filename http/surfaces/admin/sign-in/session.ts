import { sessionPurpose } from "../../../../engine/accounts/factor-steps.ts";
import { clientOf, codeProof, stepUpProof } from "../../parts/factor-proof.ts";
import { ClientHeaders, PASSKEY_BYTES_MAX, PasskeyAnswer, SecondFactor, StepUp, WebAuthnJson } from "../../parts/factor-schemas.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok, refusal } from "../envelope.ts";
import { AdminSignIn } from "../session-schemas.ts";
import {
  ADMIN_PAGE_RATE,
  ADMIN_SIGN_IN_RATE,
  adminSignIn,
  factorAnswer,
  ownSession,
  StateAndCookie,
  StateAnswer,
  sessionOf,
  stateJson,
} from "./surface.ts";

export const showAdminSession = adminSignIn.endpoint({
  name: "showAdminSession",
  method: "GET",
  path: "/admin/session",
  tags: ["Administrator accounts"],
  summary: "Get your administrator session",
  description: "Without one it answers stage `none`, and no error.",
  auth: "optionalAdminSession",
  rateLimit: ADMIN_PAGE_RATE,
  responses: { 200: StateAnswer, ...adminSignIn.errors(429, 503) },
  handle: async (operations, { caller }) => ({ status: 200, body: ok(await stateJson(operations, ownSession(caller))) }),
});

export const beginAdminSession = adminSignIn.endpoint({
  name: "adminSignIn",
  method: "POST",
  path: "/admin/session",
  tags: ["Administrator accounts"],
  summary: "Sign in as an administrator",
  description:
    "Begins a session that lacks its second factor: stage `factor`, or `enrol` for an administrator who has none yet. Wrong passwords count with those of logins. The answer to a name that is nobody's is that to a wrong password.",
  auth: "optionalAdminSession",
  rateLimit: ADMIN_SIGN_IN_RATE,
  headers: ClientHeaders,
  body: AdminSignIn,
  bodyExample: { username: "anna", password: "a long sentence of words" },
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) => {
    const { administratorSignIn, adminSignInAudited, administratorCookie } = operations;
    const { id: requestId, ipAddress } = request;
    const login = { ...body, client: clientOf(request, headers), replaces: ownSession(caller) };
    const outcome = await administratorSignIn.withPassword(login);
    if (outcome.type === "invalid") {
      const { username } = outcome;
      const refused = { type: "refused", code: "invalid_login" } as const;
      if (username !== null) adminSignInAudited({ username, way: "password", outcome: refused, ipAddress, requestId });
      return refusal(401, "invalid_login", "The name or the password is not right");
    }
    return {
      status: 200,
      body: ok(await stateJson(operations, outcome.session)),
      headers: { "Set-Cookie": administratorCookie.handOut(outcome.token) },
    };
  },
});

export const endAdminSession = adminSignIn.endpoint({
  name: "adminSignOut",
  method: "DELETE",
  path: "/admin/session",
  tags: ["Administrator accounts"],
  summary: "Sign out as an administrator",
  description: "Ends the caller's session and takes its cookie back. Also where it has ended already.",
  auth: "optionalAdminSession",
  rateLimit: ADMIN_PAGE_RATE,
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...adminSignIn.errors(403, 429, 503) },
  handle: async (operations, { caller }) => {
    const own = ownSession(caller);
    if (own !== null) await operations.administratorSignIn.end(own);
    return {
      status: 200,
      body: ok(await stateJson(operations, null)),
      headers: { "Set-Cookie": operations.administratorCookie.takenBack },
    };
  },
});

export const adminSecondFactor = adminSignIn.endpoint({
  name: "adminSecondFactor",
  method: "POST",
  path: "/admin/session/second-factor",
  tags: ["Administrator accounts"],
  summary: "Verify an administrator's second factor",
  description:
    "A code of the authenticator app, or one of the recovery codes, which counts once. After five wrong ones the sign-in begins again with the password.",
  auth: "adminSession",
  rateLimit: ADMIN_SIGN_IN_RATE,
  headers: ClientHeaders,
  body: SecondFactor,
  bodyExample: { code: "123456" },
  audit: { action: "administrator.sign-in", subject: ({ caller }) => sessionOf(caller).username },
  responses: { 200: StateAndCookie, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) =>
    factorAnswer(
      operations,
      await operations.administratorSignIn.withFactor(sessionOf(caller), codeProof(body), clientOf(request, headers)),
    ),
});

export const adminPasskeyOptions = adminSignIn.endpoint({
  name: "adminPasskeyOptions",
  method: "POST",
  path: "/admin/session/passkey/options",
  tags: ["Administrator accounts"],
  summary: "Get options for an administrator's passkey sign-in",
  description:
    "What the browser asks the authenticator (`PublicKeyCredentialRequestOptionsJSON`): any passkey of this installation where nobody is signed in, else one of the administrator. The challenge counts once, for five minutes.",
  auth: "optionalAdminSession",
  rateLimit: ADMIN_SIGN_IN_RATE,
  audit: "changes nothing",
  responses: { 200: { description: "The options.", body: okBody(WebAuthnJson) }, ...adminSignIn.errors(400, 403, 429, 503) },
  handle: async ({ administratorSignIn }, { caller }) => ({
    status: 200,
    body: ok(await administratorSignIn.passkeyOptions(ownSession(caller))),
  }),
});

export const adminPasskeySession = adminSignIn.endpoint({
  name: "adminPasskeySignIn",
  method: "POST",
  path: "/admin/session/passkey",
  tags: ["Administrator accounts"],
  summary: "Sign in as an administrator with a passkey",
  description:
    "The answer of the authenticator to POST /admin/session/passkey/options. Without a session it signs in alone; in the stage `factor` it is the second factor, in the stage `full` a fresh one.",
  auth: "optionalAdminSession",
  rateLimit: ADMIN_SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: PasskeyAnswer,
  audit: "changes nothing",
  responses: { 200: StateAndCookie, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body: { response }, headers, request, caller }) => {
    const { administratorSignIn, adminSignInAudited } = operations;
    const client = clientOf(request, headers);
    const { id: requestId, ipAddress } = request;
    const own = ownSession(caller);
    const proof = own === null ? null : ({ type: "passkey", response, purpose: sessionPurpose(own) } as const);
    const outcome =
      own === null || proof === null
        ? await administratorSignIn.withPasskey(response, client)
        : await (own.stage === "full"
            ? administratorSignIn.stepUp(own, proof, client)
            : administratorSignIn.withFactor(own, proof, client));
    const told = { way: "passkey", ipAddress, requestId } as const;
    if (outcome.type === "begun") adminSignInAudited({ ...told, username: outcome.session.username, outcome: { type: "done" } });
    else if (outcome.type === "invalid" && outcome.account !== null)
      adminSignInAudited({ ...told, username: outcome.account.username, outcome: { type: "refused", code: "invalid_code" } });
    return factorAnswer(operations, outcome);
  },
});

export const adminStepUp = adminSignIn.endpoint({
  name: "adminStepUp",
  method: "POST",
  path: "/admin/session/step-up",
  tags: ["Administrator accounts"],
  summary: "Verify a fresh second factor of an administrator",
  description:
    "For ten minutes it opens what needs one. Send `code`, `recoveryCode` or a passkey's `response`. Five wrong codes end the session.",
  auth: "fullAdminSession",
  rateLimit: ADMIN_SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: StepUp,
  bodyExample: { code: "123456" },
  audit: { action: "administrator.step-up", subject: ({ caller }) => sessionOf(caller).username },
  responses: { 200: StateAndCookie, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) => {
    const own = sessionOf(caller);
    return factorAnswer(operations, await operations.administratorSignIn.stepUp(own, stepUpProof(own, body), clientOf(request, headers)));
  },
});
