import { contentDisposition } from "../../parts/content-disposition.ts";
import { refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { fileNameOf } from "./schemas.ts";
import { exportSurface, oneExport, requireFreshFactor, seenBy } from "./surface.ts";

export const downloadExport = exportSurface.endpoint({
  name: "downloadExport",
  method: "GET",
  path: `${MERCHANT_BASE}/exports/{id}/file`,
  summary: "Download the file of an export",
  description:
    "Returns the file as an attachment, to the user who requested it and to the roles OWNER and ADMIN. A download that is cut off is incomplete: the export says how many bytes it has.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  stepUp: { where: "for a file with `personalData`" },
  rateLimit: PORTAL_RATE,
  params: oneExport.params,
  responses: {
    200: {
      description: "The file: CSV in UTF-8 with a byte order mark, or XLSX, as the export's `format` says.",
      stream: true,
      contentType: "application/octet-stream",
      headers: {
        "Content-Disposition": { description: "`attachment`, with the export's `fileName`." },
        "Content-Security-Policy": { description: "`sandbox`." },
      },
    },
    ...exportSurface.errors(400, 401, 403, 404, 429, 503),
    409: { description: "The export has no file, or not yet (not_ready).", body: exportSurface.envelope.schema },
  },
  handle: async (operations, { caller, params }) => {
    const [owner, seen] = [merchantOwnerOf(caller), seenBy(caller)];
    const record = await operations.exports.find(owner, seen, params.id);
    if (record === null) throw oneExport.notFound();
    // The check comes before the file is opened, because only the reader of an open file closes it.
    if (record.order.personalData) requireFreshFactor(caller, operations.clock.nowMs());
    const contents = await operations.exports.open(owner, seen, params.id);
    if (contents === null) throw oneExport.notFound();
    if (contents === "not_ready") return refusal(409, "not_ready", "The export has no file, or not yet; read its state");
    return { status: 200, stream: contents.pieces(), headers: contentDisposition(fileNameOf(record, operations.localTime)) };
  },
});
