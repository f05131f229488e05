import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { disputes, EvidenceParams, noSuchFile } from "./surface.ts";

/** Nothing of it runs, wherever it is opened. */
const POLICY = "sandbox; default-src 'none'";

export const readEvidence = disputes.endpoint({
  name: "readDisputeEvidence",
  method: "GET",
  path: `${MERCHANT_BASE}/disputes/{id}/evidence/{fileId}`,
  summary: "Download a file of evidence",
  description: "As an attachment, byte for byte as it was uploaded. A download that breaks off was not complete.",
  auth: "merchantUserOrKey",
  may: "see personal data",
  rateLimit: PORTAL_RATE,
  params: EvidenceParams,
  responses: {
    200: {
      description: "The file. Its type is in the dispute.",
      stream: true,
      contentType: "application/octet-stream",
      headers: {
        "Content-Disposition": { description: "`attachment`, with the file's name." },
        "Content-Security-Policy": { description: "`sandbox`." },
      },
    },
    ...disputes.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const contents = await operations.disputes.readFile(merchantOwnerOf(caller), params.id, params.fileId);
    if (contents === null) throw noSuchFile();
    return {
      status: 200,
      stream: contents.pieces(),
      headers: { "Content-Disposition": attachment(contents.file.name), "Content-Security-Policy": POLICY },
    };
  },
});

/** RFC 6266: the name in ASCII for old clients, and as it is. */
function attachment(name: string): string {
  const ascii = name.replace(/[^A-Za-z0-9._ -]/g, "_");
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
