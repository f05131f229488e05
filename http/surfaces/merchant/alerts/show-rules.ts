import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { RULES_EXAMPLE, rulesJson } from "./rules-json.ts";
import { AlertRules } from "./schemas.ts";
import { alerts } from "./surface.ts";

export const showAlertRules = alerts.endpoint({
  name: "showAlertRules",
  method: "GET",
  path: `${MERCHANT_BASE}/alert-rules`,
  summary: "Get the rules for alerts",
  description: "Returns the rules that decide which alerts are refunded automatically. Without rules, none are.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  responses: {
    200: { description: "The rules.", body: okOf(AlertRules), example: { status: "ok", data: RULES_EXAMPLE } },
    ...alerts.errors(401, 403, 429, 503),
  },
  handle: async (operations, { caller }) => {
    const found = await operations.alerts.rules(merchantOwnerOf(caller));
    return { status: 200, body: ok(await rulesJson(operations, caller, found)) };
  },
});
