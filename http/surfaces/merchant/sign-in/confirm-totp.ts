import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders, NoStore, SetCookie, TotpConfirm } from "../../parts/factor-schemas.ts";
import { okOf } from "../envelope.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { enrolledAnswer } from "./factor-answers.ts";
import { FactorEnrolled } from "./schemas.ts";
import { enrollingUser, signInSurface } from "./surface.ts";

export const confirmTotp = signInSurface.endpoint({
  name: "confirmPortalTotp",
  method: "POST",
  path: "/api/merchant/me/totp/confirm",
  summary: "Confirm an authenticator app",
  description: "In the stage `enrol` it signs the person in. Recovery codes are answered where the account had none.",
  auth: "portalSession",
  stepUp: true,
  rateLimit: SIGN_IN_RATE,
  headers: ClientHeaders,
  body: TotpConfirm,
  bodyExample: { code: "123456" },
  audit: { action: "account.add-totp", subject: ({ caller }) => userOf(caller).email },
  responses: {
    200: { description: "It was added.", body: okOf(FactorEnrolled), headers: { ...SetCookie, ...NoStore } },
    ...signInSurface.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { body: { code }, headers, request, caller }) =>
    enrolledAnswer(operations, await operations.ownAccount.confirmTotp(enrollingUser(caller), code, clientOf(request, headers))),
});
