import { Type } from "@sinclair/typebox";
import { DISPUTE_FILE_BYTES_MAX, DISPUTE_FILES_BYTES_MAX, DISPUTE_FILES_MAX } from "../../../../engine/disputes/words.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { dispute, EVIDENCE_QUERY, EvidenceAdded } from "./schemas.ts";
import { disputes, NOT_ANSWERABLE, notAnswerable, oneDispute } from "./surface.ts";

/** The file is stored in pieces after its last byte has arrived. */
const STORE_DEADLINE_MS = 60_000;
const MB = 1_048_576;

const TOO_MANY = `A dispute can have at most ${DISPUTE_FILES_MAX} files, with ${DISPUTE_FILES_BYTES_MAX / MB} MB in total`;

export const addEvidence = disputes.endpoint({
  name: "addDisputeEvidence",
  method: "POST",
  path: `${MERCHANT_BASE}/disputes/{id}/evidence`,
  summary: "Upload a file of evidence",
  description: `Uploads one file of at most ${DISPUTE_FILE_BYTES_MAX / MB} MB: PDF, PNG, JPEG, GIF, WebP, HEIC, Word (doc, docx), Excel (xls, xlsx), CSV or plain text. Its content must match the extension of its name. A document is rejected if it contains macros, scripts or embedded files, if it starts a program, if it loads a template, a picture or a workbook from elsewhere, or if it needs a password. An interrupted upload adds nothing. ${TOO_MANY}.`,
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "The file is only stored. The response submits it, and needs a fresh factor.",
  rateLimit: PORTAL_RATE,
  deadlineMs: STORE_DEADLINE_MS,
  params: oneDispute.params,
  query: Type.Object(EVIDENCE_QUERY),
  upload: { member: "file", description: "The file with its file name.", bytesMax: DISPUTE_FILE_BYTES_MAX },
  audit: { action: "dispute.add-evidence" },
  responses: {
    201: {
      description: "The file is stored.",
      body: okOf(EvidenceAdded),
      example: { status: "ok", data: { fileId: "dpf_7q1c8v5b3n6z0a2s4f0k2m9x", dispute: dispute.example } },
    },
    ...disputes.errors(400, 401, 403, 404, 408, 413, 429, 503),
    409: { description: `${NOT_ANSWERABLE}. \`too_many_files\`: the limit on files is reached.`, body: disputes.envelope.schema },
    415: {
      description:
        "`file_type`: files of this type are not accepted, or the content does not match the name. Or the body is not a multipart form.",
      body: disputes.envelope.schema,
    },
  },
  handle: async (operations, { caller, params, query, upload, request }) => {
    const file = {
      category: query.category,
      read: upload.read,
      get name() {
        return upload.name() ?? "";
      },
    };
    const operation = { id: request.id, requestId: request.id };
    const outcome = await operations.disputes.addFile(merchantOwnerOf(caller), params.id, file, operation);
    if (outcome === null) throw oneDispute.notFound();
    switch (outcome.type) {
      case "file_type":
        return refusal(
          415,
          "file_type",
          "file: files of this type are not accepted, or the content does not match the name. Upload one of the listed types",
        );
      case "too_many_files":
        return refusal(409, "too_many_files", TOO_MANY);
      case "not_open":
      case "deadline_passed":
        return notAnswerable({ type: outcome.type, dispute: outcome.dispute });
      case "added": {
        const { fileId } = outcome;
        if (fileId === undefined) throw new RelayError("unavailable", "The uploaded file could not be found. Upload it again");
        return { status: 201, body: ok({ fileId, dispute: await oneDispute.json(operations, caller, outcome.dispute) }) };
      }
    }
  },
});
