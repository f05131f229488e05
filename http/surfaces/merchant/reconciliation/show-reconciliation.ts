import { RECONCILED_DAY_EXAMPLE, ReconciledDaySchema, reconciledDayJson } from "../../parts/reconciliation-json.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { closedDay, DayParams, NOT_CLOSED, reconciliation } from "./surface.ts";

export const showReconciliation = reconciliation.endpoint({
  name: "showReconciliation",
  method: "GET",
  path: `${MERCHANT_BASE}/reconciliation/{day}`,
  summary: "Get a closed day",
  description:
    "Its figures as they were at 03:00 local on the day after next, or as soon after that as all rows of the day were there; they never change. What has changed since is listed as corrections, which the relay looks for once a day.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  params: DayParams,
  responses: {
    200: { description: "The day.", body: okOf(ReconciledDaySchema), example: { status: "ok", data: RECONCILED_DAY_EXAMPLE } },
    ...reconciliation.errors(400, 401, 403, 404, 429, 503),
    409: { description: `${NOT_CLOSED}.`, body: reconciliation.envelope.schema },
  },
  handle: async (operations, { caller, params }) => {
    const answer = await closedDay(operations, merchantOwnerOf(caller), params.day);
    return "refused" in answer ? answer.refused : { status: 200, body: ok(reconciledDayJson(answer.found)) };
  },
});
