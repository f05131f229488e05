import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { ALERT_EXAMPLE, alertJson } from "./alert-json.ts";
import { Alert } from "./schemas.ts";
import { AlertParams, alerts, noSuchAlert } from "./surface.ts";

export const showAlert = alerts.endpoint({
  name: "showAlert",
  method: "GET",
  path: `${MERCHANT_BASE}/alerts/{id}`,
  summary: "Get an alert",
  description: "Its payment is that of `uuid` among the transactions.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: AlertParams,
  responses: {
    200: { description: "The alert.", body: okOf(Alert), example: { status: "ok", data: ALERT_EXAMPLE } },
    ...alerts.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const alert = await operations.alerts.find(merchantOwnerOf(caller), params.id);
    if (alert === null) throw noSuchAlert();
    return { status: 200, body: ok(await alertJson(operations, caller, alert)) };
  },
});
