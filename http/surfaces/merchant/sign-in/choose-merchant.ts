import { endedError } from "../../../../engine/accounts/enrol-factors.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { PORTAL_RATE, userOf } from "../surface.ts";
import { ChooseMerchant } from "./schemas.ts";
import { StateAnswer, signInSurface, stateBody } from "./surface.ts";

export const chooseMerchant = signInSurface.endpoint({
  name: "portalChooseMerchant",
  method: "POST",
  path: "/api/merchant/session/merchant",
  summary: "Set the merchant of your session",
  auth: "merchantUser",
  may: "look",
  noStepUp: "The person is a member of that merchant too, and what it may do there asks for a fresh factor by itself.",
  rateLimit: PORTAL_RATE,
  body: ChooseMerchant,
  bodyExample: { merchantId: "SHOP-002" },
  audit: { action: "session.choose-merchant", subject: ({ body }) => body.merchantId },
  responses: { 200: StateAnswer, ...signInSurface.errors(400, 401, 403, 404, 429, 503) },
  handle: async (operations, { body: { merchantId }, caller }) => {
    const outcome = await operations.signIn.chooseMerchant(userOf(caller), merchantId);
    if (outcome === "ended") throw endedError();
    if (outcome === "not a member") throw new RelayError("not_found", "You are not a user of this merchant");
    return { status: 200, body: await stateBody(operations, outcome) };
  },
});
