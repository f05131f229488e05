import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { CHARGES_PAGE, subscription } from "./schemas.ts";
import { oneSubscription, subscriptionDetailContext, subscriptions } from "./surface.ts";

export const showSubscription = subscriptions.endpoint({
  name: "showSubscription",
  method: "GET",
  path: `${MERCHANT_BASE}/subscriptions/{id}`,
  summary: "Get a subscription",
  description: `Includes the latest ${CHARGES_PAGE} payments, why the last one failed (\`unpaid\`), and the retries (\`dunning\`).`,
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: oneSubscription.params,
  query: Type.Object({
    beforeCycle: Type.Optional(Type.Integer({ minimum: 1, maximum: 99_999, description: "Only payments of cycles before this one." })),
  }),
  refusesUnknown: "rows",
  responses: {
    200: { description: "The subscription.", body: okOf(subscription.schema), example: { status: "ok", data: subscription.example } },
    ...subscriptions.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params, query: { beforeCycle = null } }) => {
    const record = await operations.subscriptions.find(merchantOwnerOf(caller), params.id);
    if (record === null) throw oneSubscription.notFound();
    const context = await subscriptionDetailContext(operations, caller, record, beforeCycle);
    return { status: 200, body: ok(subscription.json(record, context)) };
  },
});
