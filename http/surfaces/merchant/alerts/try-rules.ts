import { iso } from "../../../endpoint/time.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { ruleSetOf } from "./rules-json.ts";
import { AlertRuleSet, AlertRulesDryRun, alert } from "./schemas.ts";
import { alertContext, alerts } from "./surface.ts";

const SHOWN_MAX = 100;

export const tryAlertRules = alerts.endpoint({
  name: "tryAlertRules",
  refusesUnknown: "money",
  method: "POST",
  path: `${MERCHANT_BASE}/alert-rules/dry-run`,
  summary: "Test rules for alerts",
  description:
    "Returns the alerts of the last 90 days that the given rules would have refunded, whether the rules are on or off. It changes nothing. It does not consider whether a payment was under dispute or refunded before, or whether the gateway would have refused.",
  auth: "merchantUserOrKey",
  may: "configure",
  noStepUp: "The test only computes what the rules would have done.",
  rateLimit: PORTAL_RATE,
  body: AlertRuleSet,
  bodyExample: {
    enabled: true,
    currency: "EUR",
    rules: [{ id: "small", amountMaxMinor: 2000, sources: null, categories: null, methods: null }],
    dailyCountMax: 10,
    dailyAmountMaxMinor: 10000,
  },
  audit: "changes nothing",
  responses: {
    200: {
      description: "The result of the test.",
      body: okOf(AlertRulesDryRun),
      example: {
        status: "ok",
        data: {
          from: "2026-08-28T10:00:00.000Z",
          looked: 12,
          refunded: 1,
          refundedMinor: 1050,
          capped: 0,
          items: [{ alert: alert.example, rule: "small", capped: false }],
          complete: true,
        },
      },
    },
    ...alerts.errors(400, 401, 403, 413, 415, 429, 503),
  },
  handle: async (operations, { caller, body }) => {
    const { fromMs, looked, items, complete } = await operations.alerts.dryRun(merchantOwnerOf(caller), ruleSetOf(body));
    const refunded = items.filter(({ capped }) => !capped);
    const shown = items.slice(0, SHOWN_MAX);
    const context = await alertContext(
      operations,
      caller,
      shown.map(({ alert: record }) => record),
    );
    const data = {
      ...{ from: iso(fromMs), looked, refunded: refunded.length, capped: items.length - refunded.length, complete },
      refundedMinor: refunded.reduce((sum, { alert: { amountMinor } }) => sum + amountMinor, 0),
      items: shown.map(({ alert: record, rule, capped }) => ({ alert: alert.json(record, context), rule: rule.id, capped })),
    };
    return { status: 200, body: ok(data) };
  },
});
