import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { DISPUTE_EXAMPLE, disputeJson } from "./dispute-json.ts";
import { Dispute } from "./schemas.ts";
import { DisputeParams, disputes, noSuchDispute } from "./surface.ts";

export const showDispute = disputes.endpoint({
  name: "showDispute",
  method: "GET",
  path: `${MERCHANT_BASE}/disputes/{id}`,
  summary: "Get a dispute",
  description: "With what is prepared and what was submitted. Texts and names of files are for roles that see personal data.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "look",
  rateLimit: PORTAL_RATE,
  params: DisputeParams,
  responses: {
    200: { description: "The dispute.", body: okOf(Dispute), example: { status: "ok", data: DISPUTE_EXAMPLE } },
    ...disputes.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const dispute = await operations.disputes.find(merchantOwnerOf(caller), params.id);
    if (dispute === null) throw noSuchDispute();
    return { status: 200, body: ok(await disputeJson(operations, caller, dispute)) };
  },
});
