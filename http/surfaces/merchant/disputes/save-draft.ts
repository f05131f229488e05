import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { DISPUTE_EXAMPLE, disputeJson } from "./dispute-json.ts";
import { Dispute, SaveDisputeDraft } from "./schemas.ts";
import { DisputeParams, disputes, NOT_ANSWERABLE, noSuchDispute, notAnswerable } from "./surface.ts";

/** A statement of the longest, and all fields, each character of them four bytes. */
const BODY_BYTES_MAX = 393_216;

export const saveDisputeDraft = disputes.endpoint({
  name: "saveDisputeDraft",
  method: "PUT",
  path: `${MERCHANT_BASE}/disputes/{id}/draft`,
  summary: "Update the draft of a response",
  description:
    "The whole of it: what is left out is empty then. Nobody but the merchant sees it until it is submitted. Card numbers in it are masked.",
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "A draft submits nothing: the response does, and needs a fresh factor.",
  rateLimit: PORTAL_RATE,
  bodyBytesMax: BODY_BYTES_MAX,
  params: DisputeParams,
  body: SaveDisputeDraft,
  bodyExample: { statement: "The parcel was handed over on the 20th.", fields: { trackingNumber: "1Z999" } },
  audit: { action: "dispute.save-draft" },
  responses: {
    200: { description: "Saved.", body: okOf(Dispute), example: { status: "ok", data: DISPUTE_EXAMPLE } },
    ...disputes.errors(400, 401, 403, 404, 413, 415, 429, 503),
    409: { description: `${NOT_ANSWERABLE}.`, body: disputes.envelope.schema },
  },
  handle: async (operations, { caller, params, body, request }) => {
    const { statement = null, fields = {} } = body;
    // The same draft again is the same.
    const operation = { id: request.id, requestId: request.id };
    const outcome = await operations.disputes.saveDraft(merchantOwnerOf(caller), params.id, { statement, fields }, operation);
    if (outcome === null) throw noSuchDispute();
    if (outcome.type !== "saved") return notAnswerable(outcome);
    return { status: 200, body: ok(await disputeJson(operations, caller, outcome.dispute)) };
  },
});
