import { PLANS_MAX } from "../../../../engine/subscriptions/plan.ts";
import { COLLECTIONS } from "../../../../engine/subscriptions/words.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { Plans, plan } from "./plan-schemas.ts";
import { subscriptions } from "./surface.ts";

export const listPlans = subscriptions.endpoint({
  name: "listPlans",
  method: "GET",
  path: `${MERCHANT_BASE}/plans`,
  summary: "List plans",
  description: `Lists all plans, including deactivated ones, newest first; at most ${PLANS_MAX}.`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: {
    200: {
      description: "All plans of the merchant.",
      body: okOf(Plans),
      example: { status: "ok", data: { items: [plan.example], collections: ["LINK"] } },
    },
    ...subscriptions.errors(401, 403, 429, 503),
  },
  handle: async ({ plans, cardsOnFile }, { caller }) => {
    const owner = merchantOwnerOf(caller);
    const items = (await plans.list(owner)).map((one) => plan.json(one, { caller }));
    const collections = COLLECTIONS.filter((collection) => collection === "LINK" || cardsOnFile.isOffered(owner));
    return { status: 200, body: ok({ items, collections }) };
  },
});
