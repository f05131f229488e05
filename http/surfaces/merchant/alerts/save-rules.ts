import { RelayError } from "../../../../engine/kernel/errors.ts";
import { actorOf } from "../actor-names.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { RULES_EXAMPLE, ruleSetOf, rulesJson } from "./rules-json.ts";
import { AlertRules, SaveAlertRules } from "./schemas.ts";
import { alerts } from "./surface.ts";

export const saveAlertRules = alerts.endpoint({
  name: "saveAlertRules",
  refusesUnknown: "money",
  method: "PUT",
  path: `${MERCHANT_BASE}/alert-rules`,
  summary: "Update the rules for alerts",
  description:
    "All of them. They count for alerts that come from then on; what a rule has decided before is gone on with. An alert that matches a rule is refunded as a whole, without anybody looking at it; where the payment is more than the alert says, nothing is.",
  auth: "merchantUserOrKey",
  may: "configure",
  stepUp: true,
  rateLimit: PORTAL_RATE,
  body: SaveAlertRules,
  bodyExample: {
    enabled: true,
    currency: "EUR",
    rules: [{ id: "small", amountMaxMinor: 2000, sources: ["ETHOCA", "CDRN"], categories: null, methods: ["PAYBYLINK"] }],
    dailyCountMax: 10,
    dailyAmountMaxMinor: 10000,
    seen: 0,
  },
  audit: { action: "alert-rules.replace", subject: ({ body }) => (body.enabled ? "on" : "off") },
  responses: {
    200: { description: "Saved.", body: okOf(AlertRules), example: { status: "ok", data: RULES_EXAMPLE } },
    ...alerts.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: "They are no longer as in `seen` (conflict).", body: alerts.envelope.schema },
  },
  handle: async (operations, { caller, body }) => {
    const saved = await operations.alerts.saveRules(merchantOwnerOf(caller), ruleSetOf(body), body.seen, actorOf(caller));
    if (saved.type === "changed") throw new RelayError("conflict", "Somebody else has changed the rules meanwhile: load them again");
    return { status: 200, body: ok(await rulesJson(operations, caller, saved)) };
  },
});
