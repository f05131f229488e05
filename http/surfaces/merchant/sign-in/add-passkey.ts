import { PASSKEYS_MAX } from "../../../../engine/accounts/account.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { clientOf } from "../../parts/factor-proof.ts";
import { ClientHeaders, NoStore, PASSKEY_BYTES_MAX, PasskeyRegistration, SetCookie } from "../../parts/factor-schemas.ts";
import { okOf } from "../envelope.ts";
import { SIGN_IN_RATE, userOf } from "../surface.ts";
import { enrolledAnswer } from "./factor-answers.ts";
import { FactorEnrolled } from "./schemas.ts";

import { enrollingUser, signInSurface } from "./surface.ts";

export const addPasskey = signInSurface.endpoint({
  name: "addPortalPasskey",
  method: "POST",
  path: "/api/merchant/me/passkeys",
  summary: "Add a passkey",
  description: `The authenticator's answer, and the passkey's name. At most ${PASSKEYS_MAX} an account. In the stage \`enrol\` it signs the person in. Recovery codes are answered where the account had none.`,
  auth: "portalSession",
  stepUp: true,
  rateLimit: SIGN_IN_RATE,
  bodyBytesMax: PASSKEY_BYTES_MAX,
  headers: ClientHeaders,
  body: PasskeyRegistration,
  audit: { action: "account.add-passkey", subject: ({ caller }) => userOf(caller).email },
  responses: {
    200: { description: "It was added.", body: okOf(FactorEnrolled), headers: { ...SetCookie, ...NoStore } },
    ...signInSurface.errors(400, 401, 403, 409, 429, 503),
  },
  handle: async (operations, { body, headers, request, caller }) => {
    const outcome = await operations.ownAccount.addPasskey(enrollingUser(caller), body, clientOf(request, headers));
    if (outcome.type === "full") throw new RelayError("conflict", `You have ${PASSKEYS_MAX} passkeys; remove one first`);
    return enrolledAnswer(operations, outcome);
  },
});
