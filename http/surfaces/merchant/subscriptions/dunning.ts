import { DUNNING_DEFAULT, type DunningTerms } from "../../../../engine/subscriptions/dunning-policy.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { DunningPolicy, type DunningPolicyJson } from "./plan-schemas.ts";
import { subscriptions } from "./surface.ts";

const PATH = `${MERCHANT_BASE}/dunning`;
const ANSWERED = {
  description: "The policy.",
  body: okOf(DunningPolicy),
  example: { status: "ok", data: policyJson(DUNNING_DEFAULT) },
};

export const showDunning = subscriptions.endpoint({
  name: "showDunning",
  method: "GET",
  path: PATH,
  summary: "Get what is done about payments that fail",
  description: "Returns the default policy until the merchant sets its own.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: { 200: ANSWERED, ...subscriptions.errors(401, 403, 429, 503) },
  handle: async ({ plans }, { caller }) => ({ status: 200, body: ok(policyJson(await plans.dunning(merchantOwnerOf(caller)))) }),
});

export const setDunning = subscriptions.endpoint({
  name: "setDunning",
  refusesUnknown: "money",
  method: "PUT",
  path: PATH,
  summary: "Set what is done about payments that fail",
  description: "Applies to cycles that fail from now on; cycles that have already failed keep their policy.",
  auth: "merchantUserOrKey",
  may: "configure",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: DunningPolicy,
  bodyExample: policyJson(DUNNING_DEFAULT),
  audit: { action: "dunning.set", subject: ({ body }) => `${body.retryDays.join(", ")} days, then ${body.finalAction}` },
  responses: { 200: ANSWERED, ...subscriptions.errors(400, 401, 403, 413, 415, 429, 503) },
  handle: async ({ plans }, { caller, body }) => ({
    status: 200,
    body: ok(policyJson(await plans.setDunning(merchantOwnerOf(caller), body))),
  }),
});

function policyJson({ retryDays, finalAction, mails }: DunningTerms): DunningPolicyJson {
  return { retryDays: [...retryDays], finalAction, mails };
}
