import { Type } from "@sinclair/typebox";
import { PASSKEYS_MAX } from "../../../../engine/accounts/account.ts";
import { type EnrolOutcome, endedError } from "../../../../engine/accounts/enrol-factors.ts";
import type { AdministratorSession } from "../../../../engine/administrators/administrator-session.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { clientOf, passkeyItems, totpBegun } from "../../parts/factor-proof.ts";
import {
  ClientHeaders,
  NO_STORE,
  NoStore,
  PASSKEY_BYTES_MAX,
  PasskeyRegistration,
  RecoveryCodes,
  SetCookie,
  TotpBegun,
  TotpConfirm,
  WebAuthnJson,
} from "../../parts/factor-schemas.ts";
import { okBody } from "../../parts/relay-envelope.ts";
import { ok, refusal } from "../envelope.ts";
import { AdminFactorEnrolled, AdminFactors, type AdminFactorsJson } from "../session-schemas.ts";
import {
  ADMIN_PAGE_RATE,
  ADMIN_SIGN_IN_RATE,
  type AdminSignInOperations,
  adminSignIn,
  enrollingSession,
  sessionOf,
  stateJson,
} from "./surface.ts";

async function factorsJson({ administratorSignIn }: AdminSignInOperations, own: { accountId: string }): Promise<AdminFactorsJson> {
  const factors = await administratorSignIn.factors(own);
  if (factors === null) throw endedError();
  const { totp, passkeys, recoveryCodes } = factors;
  return { totp: totp !== null, passkeys: passkeyItems(passkeys), recoveryCodesLeft: recoveryCodes.length };
}

/** The answer to a factor that was to be added. */
async function enrolledAnswer(operations: AdminSignInOperations, outcome: EnrolOutcome<AdministratorSession>) {
  switch (outcome.type) {
    case "enrolled": {
      const { recoveryCodes, token, session } = outcome;
      return {
        status: 200,
        body: ok({ recoveryCodes: recoveryCodes === null ? null : [...recoveryCodes], session: await stateJson(operations, session) }),
        headers: { ...NO_STORE, ...(token === null ? {} : { "Set-Cookie": operations.administratorCookie.handOut(token) }) },
      } as const;
    }
    case "invalid":
      return refusal(
        400,
        "invalid_code",
        "The code, or the answer of the authenticator, is not right; begin again if it was shown some minutes ago",
      );
    case "ended":
    case "nowhere":
      throw endedError();
  }
}

const Enrolled = { description: "It was added.", body: okBody(AdminFactorEnrolled), headers: { ...SetCookie, ...NoStore } };

export const showAdminFactors = adminSignIn.endpoint({
  name: "showAdminFactors",
  method: "GET",
  path: "/admin/factors",
  tags: ["Administrator accounts"],
  summary: "Get your administrator second factors",
  auth: "fullAdminSession",
  rateLimit: ADMIN_PAGE_RATE,
  responses: { 200: { description: "Without any secret.", body: okBody(AdminFactors) }, ...adminSignIn.errors(401, 429, 503) },
  handle: async (operations, { caller }) => ({ status: 200, body: ok(await factorsJson(operations, sessionOf(caller))) }),
});

export const beginAdminTotp = adminSignIn.endpoint({
  name: "beginAdminTotp",
  method: "POST",
  path: "/admin/factors/totp",
  tags: ["Administrator accounts"],
  summary: "Start adding an administrator's authenticator app",
  description: "Nothing changes before POST /admin/factors/totp/confirm. An app that was added before is then replaced.",
  auth: "adminSession",
  stepUp: true,
  rateLimit: ADMIN_PAGE_RATE,
  audit: "changes nothing",
  responses: {
    200: { description: "The secret, shown this once.", body: okBody(TotpBegun), headers: NoStore },
    ...adminSignIn.errors(401, 403, 429, 503),
  },
  handle: async ({ administratorSignIn }, { caller }) => {
    const begun = await totpBegun(await administratorSignIn.enrol.beginTotp(enrollingSession(caller)));
    return { status: 200, body: ok(begun), headers: NO_STORE };
  },
});

export const confirmAdminTotp = adminSignIn.endpoint({
  name: "confirmAdminTotp",
  method: "POST",
  path: "/admin/factors/totp/confirm",
  tags: ["Administrator accounts"],
  summary: "Confirm an administrator's authenticator app",
  description: "In the stage `enrol` it signs you in. Recovery codes are answered where there were none.",
  auth: "adminSession",
  stepUp: true,
  rateLimit: ADMIN_SIGN_IN_RATE,
  headers: ClientHeaders,
  body: TotpConfirm,
  bodyExample: { code: "123456" },
  audit: { action: "administrator.add-totp", subject: ({ caller }) => sessionOf(caller).username },
  responses: { 200: Enrolled, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async (operations, { body: { code }, headers, request, caller }) => {
    const { enrol } = operations.administratorSignIn;
    return enrolledAnswer(operations, await enrol.confirmTotp(enrollingSession(caller), code, clientOf(request, headers)));
  },
});

export const beginAdminPasskey = adminSignIn.endpoint({
  name: "beginAdminPasskey",
  method: "POST",
  path: "/admin/factors/passkeys/options",
  tags: ["Administrator accounts"],
  summary: "Start adding an administrator's passkey",
  description: "What the browser asks the authenticator (`PublicKeyCredentialCreationOptionsJSON`). The challenge counts for five minutes.",
  auth: "adminSession",
  stepUp: true,
  rateLimit: ADMIN_PAGE_RATE,
  audit: "changes nothing",
  responses: { 200: { description: "The options.", body: okBody(WebAuthnJson) }, ...adminSignIn.errors(400, 401, 403, 429, 503) },
  handle: async ({ administratorSignIn }, { caller }) => ({
    status: 200,
    body: ok(await administratorSignIn.enrol.passkeyOptions(enrollingSession(caller))),
  }),
});

export const addAdminPasskey = adminSignIn.endpoint({
  name: "addAdminPasskey",
  method: "POST",
  path: "/admin/factors/passkeys",
  tags: ["Administrator accounts"],
  summary: "Add an administrator's passkey",
  description: `The authenticator's answer, and the passkey's name. At most ${PASSKEYS_MAX}. In the stage \`enrol\` it signs you in. Recovery codes are answered where there were none.`,
  auth: "adminSession",
  stepUp: true,
  rateLimit: ADMIN_SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: PasskeyRegistration,
  audit: { action: "administrator.add-passkey", subject: ({ caller }) => sessionOf(caller).username },
  responses: { 200: Enrolled, ...adminSignIn.errors(400, 401, 403, 409, 429, 503) },
  handle: async (operations, { body, headers, request, caller }) => {
    const { enrol } = operations.administratorSignIn;
    const outcome = await enrol.addPasskey(enrollingSession(caller), body, clientOf(request, headers));
    if (outcome.type === "full") throw new RelayError("conflict", `You have ${PASSKEYS_MAX} passkeys; remove one first`);
    return enrolledAnswer(operations, outcome);
  },
});

export const removeAdminPasskey = adminSignIn.endpoint({
  name: "removeAdminPasskey",
  method: "DELETE",
  path: "/admin/factors/passkeys/{id}",
  tags: ["Administrator accounts"],
  summary: "Delete an administrator's passkey",
  auth: "fullAdminSession",
  stepUp: true,
  rateLimit: ADMIN_PAGE_RATE,
  params: Type.Object({ id: Type.String({ pattern: "^[A-Za-z0-9_-]{1,1400}$" }) }),
  headers: ClientHeaders,
  audit: { action: "administrator.remove-passkey", subject: ({ caller }) => sessionOf(caller).username },
  responses: {
    200: { description: "It was removed: what is left.", body: okBody(AdminFactors) },
    ...adminSignIn.errors(401, 403, 404, 409, 429, 503),
  },
  handle: async (operations, { params: { id }, headers, request, caller }) => {
    const own = sessionOf(caller);
    const outcome = await operations.administratorSignIn.enrol.removePasskey(own, id, clientOf(request, headers));
    if (outcome === "last") return refusal(409, "last_factor", "This is your only second factor; add another one first");
    if (outcome === "not found") throw new RelayError("not_found", "You have no such second factor");
    return { status: 200, body: ok(await factorsJson(operations, own)) } as const;
  },
});

export const replaceAdminRecoveryCodes = adminSignIn.endpoint({
  name: "replaceAdminRecoveryCodes",
  method: "POST",
  path: "/admin/factors/recovery-codes",
  tags: ["Administrator accounts"],
  summary: "Rotate an administrator's recovery codes",
  description: "They are shown this once; the earlier ones no longer work.",
  auth: "fullAdminSession",
  stepUp: true,
  rateLimit: ADMIN_SIGN_IN_RATE,
  headers: ClientHeaders,
  audit: { action: "administrator.replace-recovery-codes", subject: ({ caller }) => sessionOf(caller).username },
  responses: {
    200: { description: "The codes.", body: okBody(RecoveryCodes), headers: NoStore },
    ...adminSignIn.errors(401, 403, 429, 503),
  },
  handle: async ({ administratorSignIn }, { headers, request, caller }) => {
    const codes = await administratorSignIn.enrol.replaceRecoveryCodes(sessionOf(caller), clientOf(request, headers));
    return { status: 200, body: ok({ recoveryCodes: [...codes] }), headers: NO_STORE };
  },
});
