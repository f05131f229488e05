import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PLAN_EXAMPLE, planJson } from "./plan-json.ts";
import { Plan } from "./schemas.ts";
import { noSuchPlan, PlanParams, subscriptions } from "./surface.ts";

export const showPlan = subscriptions.endpoint({
  name: "showPlan",
  method: "GET",
  path: `${MERCHANT_BASE}/plans/{id}`,
  summary: "Get a plan",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: PlanParams,
  responses: {
    200: { description: "The plan.", body: okOf(Plan), example: { status: "ok", data: PLAN_EXAMPLE } },
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async ({ plans }, { caller, params: { id } }) => {
    const plan = await plans.find(merchantOwnerOf(caller), id);
    if (plan === null) throw noSuchPlan();
    return { status: 200, body: ok(planJson(plan)) };
  },
});
