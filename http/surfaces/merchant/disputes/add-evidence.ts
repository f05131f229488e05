import { Type } from "@sinclair/typebox";
import { DISPUTE_FILE_BYTES_MAX, DISPUTE_FILES_BYTES_MAX, DISPUTE_FILES_MAX } from "../../../../engine/disputes/words.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { dispute, EVIDENCE_QUERY, EvidenceAdded } from "./schemas.ts";
import { disputes, NOT_ANSWERABLE, notAnswerable, oneDispute } from "./surface.ts";

/** The file is stored in pieces after its last byte. */
const STORE_DEADLINE_MS = 60_000;
const MB = 1_048_576;

const TOO_MANY = `A dispute has room for ${DISPUTE_FILES_MAX} files, of ${DISPUTE_FILES_BYTES_MAX / MB} MB together`;

export const addEvidence = disputes.endpoint({
  name: "addDisputeEvidence",
  method: "POST",
  path: `${MERCHANT_BASE}/disputes/{id}/evidence`,
  summary: "Upload a file of evidence",
  description: `One file of at most ${DISPUTE_FILE_BYTES_MAX / MB} MB: PDF, PNG, JPEG, GIF, WebP, HEIC, Word (doc, docx), Excel (xls, xlsx), CSV or plain text. Its content and the ending of its name have to say the same; documents with macros, scripts or other files in them, that start a program or load a template, a picture or a workbook from elsewhere, are refused, as are those that cannot be read without a password. An upload that breaks off adds nothing. ${TOO_MANY}.`,
  auth: "merchantUserOrKey",
  may: "operate",
  noStepUp: "A file is only kept until the response submits it, which needs a fresh factor.",
  rateLimit: PORTAL_RATE,
  deadlineMs: STORE_DEADLINE_MS,
  params: oneDispute.params,
  query: Type.Object(EVIDENCE_QUERY),
  upload: { member: "file", description: "The file, with its name.", bytesMax: DISPUTE_FILE_BYTES_MAX },
  audit: { action: "dispute.add-evidence" },
  responses: {
    201: {
      description: "Kept.",
      body: okOf(EvidenceAdded),
      example: { status: "ok", data: { fileId: "dpf_7q1c8v5b3n6z0a2s4f0k2m9x", dispute: dispute.example } },
    },
    ...disputes.errors(400, 401, 403, 404, 408, 413, 429, 503),
    409: { description: `${NOT_ANSWERABLE}, or there is no room for it (too_many_files).`, body: disputes.envelope.schema },
    415: {
      description: "It is not of a type that is taken, by content and name (file_type), or no multipart form.",
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
        return refusal(415, "file_type", "file: is of a type that is not taken, or its content is not what its name says");
      case "too_many_files":
        return refusal(409, "too_many_files", TOO_MANY);
      case "not_open":
      case "deadline_passed":
        return notAnswerable({ type: outcome.type, dispute: outcome.dispute });
      case "added": {
        const { fileId } = outcome;
        if (fileId === undefined) throw new RelayError("unavailable", "The file is not there");
        return { status: 201, body: ok({ fileId, dispute: await oneDispute.json(operations, caller, outcome.dispute) }) };
      }
    }
  },
});
