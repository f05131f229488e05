import { ChangePlan } from "./plan-schemas.ts";
import { onePlan } from "./surface.ts";

export const changePlan = onePlan.action({
  name: "changePlan",
  refusesUnknown: "money",
  method: "PATCH",
  path: "",
  summary: "Update whether a plan is active",
  description: "Existing subscriptions to the plan continue unchanged.",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Its name and whether it is offered change; its terms are fixed.",
  body: ChangePlan,
  bodyExample: { active: false },
  audit: { action: "plan.change" },
  done: { description: "The plan.", changes: { active: false } },
  run: async ({ plans }, owner, { params: { id }, body }) => {
    const plan = await plans.setActive(owner, id, body.active);
    return plan === null ? null : { done: plan };
  },
});
