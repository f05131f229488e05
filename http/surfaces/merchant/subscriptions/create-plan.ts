import { fromMinorUnits } from "../../../../engine/kernel/money.ts";
import { PLANS_MAX } from "../../../../engine/subscriptions/plan.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { CreatePlan, plan } from "./plan-schemas.ts";
import { operationOf, subscriptions } from "./surface.ts";

export const createPlan = subscriptions.endpoint({
  name: "createPlan",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/plans`,
  summary: "Create a plan",
  description: "The terms of a plan cannot be changed: create another plan for other terms.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "A plan charges nobody.",
  rateLimit: PORTAL_RATE,
  body: CreatePlan,
  bodyExample: { name: "Gym, monthly", amountMinor: 2_900, interval: "MONTH" },
  idempotency: "plain",
  audit: {
    action: "plan.create",
    subject: ({ body: { amountMinor, currency = "EUR" } }) => `${fromMinorUnits(amountMinor, currency)} ${currency}`,
  },
  responses: {
    201: { description: "Created.", body: okOf(plan.schema), example: { status: "ok", data: plan.example } },
    ...subscriptions.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description: `The merchant already has ${PLANS_MAX} plans, or the same \`Idempotency-Key\` was used with another body (conflict).`,
      body: subscriptions.envelope.schema,
    },
  },
  handle: async ({ plans }, { caller, body, operationId, request }) => {
    const { name, amountMinor, currency = "EUR", interval, count = 1, trialDays = 0 } = body;
    const terms = { name, amountMinor, currency, interval, count, trialDays };
    const created = await plans.create(merchantOwnerOf(caller), terms, operationOf(caller, operationId, request));
    return { status: 201, body: ok(plan.json(created, { caller })) };
  },
});
