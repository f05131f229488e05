import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { PLAN_EXAMPLE, planJson } from "./plan-json.ts";
import { ChangePlan, Plan } from "./schemas.ts";
import { noSuchPlan, PlanParams, subscriptions } from "./surface.ts";

export const changePlan = subscriptions.endpoint({
  name: "changePlan",
  refusesUnknown: "money",
  method: "PATCH",
  path: `${MERCHANT_BASE}/plans/{id}`,
  summary: "Update whether a plan is active",
  description: "Existing subscriptions to the plan continue unchanged.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Its name and whether it is offered change; its terms are fixed.",
  rateLimit: PORTAL_RATE,
  params: PlanParams,
  body: ChangePlan,
  bodyExample: { active: false },
  audit: { action: "plan.change" },
  responses: {
    200: { description: "The plan.", body: okOf(Plan), example: { status: "ok", data: { ...PLAN_EXAMPLE, active: false } } },
    ...subscriptions.errors(400, 401, 403, 404, 413, 415, 429, 503),
  },
  handle: async ({ plans }, { caller, params: { id }, body }) => {
    const plan = await plans.setActive(merchantOwnerOf(caller), id, body.active);
    if (plan === null) throw noSuchPlan();
    return { status: 200, body: ok(planJson(plan)) };
  },
});
