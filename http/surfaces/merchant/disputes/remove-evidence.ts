import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { dispute } from "./schemas.ts";
import { disputes, EvidenceParams, NOT_ANSWERABLE, noSuchFile, notAnswerable, oneDispute } from "./surface.ts";

export const removeEvidence = disputes.endpoint({
  name: "removeDisputeEvidence",
  method: "DELETE",
  path: `${MERCHANT_BASE}/disputes/{id}/evidence/{fileId}`,
  summary: "Delete a file of evidence",
  description: "Deletes the contents of the file. A submitted file cannot be deleted.",
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "Only a file that was not submitted can be deleted, and it can be uploaded again.",
  rateLimit: PORTAL_RATE,
  params: EvidenceParams,
  audit: { action: "dispute.remove-evidence" },
  responses: {
    200: {
      description: "The file is deleted.",
      body: okOf(dispute.schema),
      example: { status: "ok", data: { ...dispute.example, files: [] } },
    },
    ...disputes.errors(400, 401, 403, 404, 429, 503),
    409: { description: `${NOT_ANSWERABLE}. \`frozen\`: the file was submitted.`, body: disputes.envelope.schema },
  },
  handle: async (operations, { caller, params, request }) => {
    const operation = { id: request.id, requestId: request.id };
    const outcome = await operations.disputes.removeFile(merchantOwnerOf(caller), params.id, params.fileId, operation);
    if (outcome === null) throw noSuchFile();
    switch (outcome.type) {
      case "frozen":
        return refusal(409, "frozen", "The file was submitted and cannot be deleted");
      case "not_open":
      case "deadline_passed":
        return notAnswerable({ type: outcome.type, dispute: outcome.dispute });
      case "removed":
        return { status: 200, body: ok(await oneDispute.json(operations, caller, outcome.dispute)) };
    }
  },
});
