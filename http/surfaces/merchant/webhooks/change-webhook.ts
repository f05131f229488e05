import { RelayError } from "../../../../engine/kernel/errors.ts";
import { withoutCards } from "../../parts/webhook-members.ts";
import { eventsOf, seenMsOf } from "./endpoint-members.ts";
import { ChangeWebhookEndpoint } from "./schemas.ts";
import { oneEndpoint, webhookOwnerOf, withKeyOf } from "./surface.ts";

export const changeWebhook = oneEndpoint.action({
  name: "portalChangeWebhook",
  refusesUnknown: "access",
  method: "PATCH",
  path: "",
  summary: "Update a webhook endpoint of the merchant",
  description:
    "Members that are left out keep their values. Disabling the endpoint ends all pending deliveries to it; enabling it clears the reason why it was disabled. `seen` is the `updatedAt` that the caller last read.",
  apartByEnvironment: true,
  may: "integrate",
  stepUp: true,
  body: ChangeWebhookEndpoint,
  bodyExample: { status: "enabled" },
  audit: { action: "webhook.change" },
  done: { description: "The endpoint." },
  conflict: "The endpoint is no longer as in `seen` (conflict).",
  run: async ({ merchantWebhooks }, owner, { caller, params: { id }, body }) => {
    const [of, { livemode }] = [webhookOwnerOf(owner), owner];
    const { events, status, seen } = body;
    const texts = withoutCards(body);
    if (events === undefined && status === undefined && Object.keys(texts).length === 0) {
      throw new RelayError("invalid_request", "body: must have at least one member to change");
    }
    const before = await merchantWebhooks.find(of, livemode, id);
    if (before === null) return null;
    const changed = await merchantWebhooks.change(of, livemode, id, {
      ...texts,
      ...withKeyOf(caller),
      ...(events === undefined ? {} : { events: eventsOf(before.format, events, before.events) }),
      ...(status === undefined ? {} : { disabled: status === "disabled" }),
      ...(seen === undefined ? {} : { seenAtMs: seenMsOf(seen) }),
    });
    return changed === null ? null : { done: changed };
  },
});
