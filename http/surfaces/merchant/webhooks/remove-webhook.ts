import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { webhookEndpoint } from "./schemas.ts";
import { oneEndpoint, webhookOwnerOf, webhooks } from "./surface.ts";

export const removeWebhook = webhooks.endpoint({
  name: "portalRemoveWebhook",
  method: "DELETE",
  path: `${MERCHANT_BASE}/webhooks/{id}`,
  summary: "Delete a webhook endpoint of the merchant",
  description:
    "Ends all pending deliveries to the endpoint, and removes its deliveries from the list. A person may delete endpoints of both environments.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "integrate",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  params: oneEndpoint.params,
  audit: { action: "webhook.remove" },
  responses: {
    200: {
      description: "Removed.",
      body: okOf(Type.Object({ id: Type.String() })),
      example: { status: "ok", data: { id: webhookEndpoint.example.id } },
    },
    ...webhooks.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async ({ merchantWebhooks }, { caller, params: { id } }) => {
    const merchant = merchantOwnerOf(caller);
    const remove = (livemode: boolean) => merchantWebhooks.remove(webhookOwnerOf(merchant), livemode, id);
    // A person may also remove what a key of the other environment created.
    const removed = (await remove(merchant.livemode)) || (caller.type === "merchantUser" && (await remove(!merchant.livemode)));
    if (!removed) throw oneEndpoint.notFound();
    return { status: 200, body: ok({ id }) };
  },
});
