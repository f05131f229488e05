import { Type } from "@sinclair/typebox";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { plan } from "./plan-schemas.ts";
import { onePlan, subscriptions } from "./surface.ts";

export const removePlan = subscriptions.endpoint({
  name: "removePlan",
  method: "DELETE",
  path: `${MERCHANT_BASE}/plans/{id}`,
  summary: "Delete a plan that was never used",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  noStepUp: "Only a plan that nobody has subscribed to is removed.",
  rateLimit: PORTAL_RATE,
  params: onePlan.params,
  audit: { action: "plan.remove" },
  responses: {
    200: {
      description: "Removed.",
      body: okOf(Type.Object({ id: Type.String() })),
      example: { status: "ok", data: { id: plan.example.id } },
    },
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
    409: { description: "The plan has or had subscriptions (plan_used); deactivate it instead.", body: subscriptions.envelope.schema },
  },
  handle: async ({ plans }, { caller, params: { id } }) => {
    const removed = await plans.remove(merchantOwnerOf(caller), id);
    if (removed === null) throw onePlan.notFound();
    if (removed === "used") return refusal(409, "plan_used", "The plan has or had subscriptions: deactivate it instead");
    return { status: 200, body: ok({ id }) };
  },
});
