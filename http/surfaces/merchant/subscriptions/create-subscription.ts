import { SUBSCRIPTIONS_PER_HOUR_MAX } from "../../../../engine/subscriptions/subscription.ts";
import { actorOf } from "../actor-names.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { CreateSubscription, subscription } from "./schemas.ts";
import { CHARGE_DEADLINE_MS, oneSubscription, operationOf, subscriptions } from "./surface.ts";

export const createSubscription = subscriptions.endpoint({
  name: "createSubscription",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/subscriptions`,
  summary: "Create a subscription",
  description: `Without a trial the relay requests the first payment at once: it mails the way to pay to the customer, or charges the card on file. \`collection\` is LINK if absent, and \`locale\` (of mails) is it if absent. A merchant may create at most ${SUBSCRIPTIONS_PER_HOUR_MAX} subscriptions in an hour (429).`,
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "A subscription collects money for the merchant's own account, and gives none away.",
  rateLimit: PORTAL_RATE,
  deadlineMs: CHARGE_DEADLINE_MS,
  body: CreateSubscription,
  bodyExample: { planId: subscription.example.planId, customer: { name: "Ada Rossi", email: "ada@example.com", locale: "it" } },
  // The response contains the URL of the customer's page.
  idempotency: "sealed",
  audit: { action: "subscription.create", subject: ({ body }) => body.planId },
  responses: {
    201: { description: "Created.", body: okOf(subscription.schema), example: { status: "ok", data: subscription.example } },
    ...subscriptions.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description:
        "There is no such plan (no_plan), the plan is deactivated (plan_inactive), or the merchant is deactivated (inactive). Or the same `Idempotency-Key` was used with another body.",
      body: subscriptions.envelope.schema,
    },
  },
  handle: async (operations, { caller, body, operationId, request }) => {
    const { planId, customer, collection = "LINK", methodId = null } = body;
    const { name, email, locale = "it" } = customer;
    const order = { planId, customer: { name, email, locale }, collection, methodId };
    const operation = operationOf(caller, operationId, request);
    const created = await operations.subscriptions.create(merchantOwnerOf(caller), order, actorOf(caller), operation);
    switch (created.type) {
      case "no_plan":
        return refusal(409, "no_plan", "There is no such plan");
      case "plan_inactive":
        return refusal(409, "plan_inactive", "The plan is deactivated and accepts no new subscriptions; activate it or choose another one");
      case "inactive":
        return refusal(409, "inactive", "The merchant is deactivated");
      case "created":
        return { status: 201, body: ok(await oneSubscription.json(operations, caller, created.subscription)) };
    }
  },
});
