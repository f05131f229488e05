import { contentDisposition } from "../../parts/content-disposition.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { disputes, EvidenceParams, noSuchFile } from "./surface.ts";

export const readEvidence = disputes.endpoint({
  name: "readDisputeEvidence",
  method: "GET",
  path: `${MERCHANT_BASE}/disputes/{id}/evidence/{fileId}`,
  summary: "Download a file of evidence",
  description: "Returns the uploaded bytes unchanged, as an attachment. If the download is interrupted, the file is incomplete.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "see personal data",
  rateLimit: PORTAL_RATE,
  params: EvidenceParams,
  responses: {
    200: {
      description: "The file. The dispute states its media type.",
      stream: true,
      contentType: "application/octet-stream",
      headers: {
        "Content-Disposition": { description: "`attachment` with the file's name." },
        "Content-Security-Policy": { description: "`sandbox`." },
      },
    },
    ...disputes.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const contents = await operations.disputes.readFile(merchantOwnerOf(caller), params.id, params.fileId);
    if (contents === null) throw noSuchFile();
    return { status: 200, stream: contents.pieces(), headers: contentDisposition(contents.file.name) };
  },
});
