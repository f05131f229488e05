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
    "Replaces all rules. They apply to alerts that arrive from now on; refunds that a rule has already started continue. If an alert matches a rule, the relay refunds the whole payment without asking anybody. If the payment is larger than the amount of the alert, it refunds nothing.",
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
    200: { description: "The rules are saved.", body: okOf(AlertRules), example: { status: "ok", data: RULES_EXAMPLE } },
    ...alerts.errors(400, 401, 403, 413, 415, 429, 503),
    409: { description: "`conflict`: the rules have changed since the version in `seen`.", body: alerts.envelope.schema },
  },
  handle: async (operations, { caller, body }) => {
    const saved = await operations.alerts.saveRules(merchantOwnerOf(caller), ruleSetOf(body), body.seen, actorOf(caller));
    if (saved.type === "changed")
      throw new RelayError("conflict", "Somebody else has changed the rules; load them again and repeat the change");
    return { status: 200, body: ok(await rulesJson(operations, caller, saved)) };
  },
});
