import { contentDisposition } from "../../parts/content-disposition.ts";
import { refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { fileNameOf } from "./export-json.ts";
import { ExportParams, exportSurface, noSuchExport, requireFreshFactor, seenBy } from "./surface.ts";

export const downloadExport = exportSurface.endpoint({
  name: "downloadExport",
  method: "GET",
  path: `${MERCHANT_BASE}/exports/{id}/file`,
  summary: "Download the file of an export",
  description:
    "As an attachment. For who asked for it, and for OWNER and ADMIN. A download that breaks off was not complete: the export says how many bytes it has.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  stepUp: { where: "for a file with `personalData`" },
  rateLimit: PORTAL_RATE,
  params: ExportParams,
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
    409: { description: "There is no file of it, or not yet (not_ready).", body: exportSurface.envelope.schema },
  },
  handle: async (operations, { caller, params }) => {
    const [owner, seen] = [merchantOwnerOf(caller), seenBy(caller)];
    const record = await operations.exports.find(owner, seen, params.id);
    if (record === null) throw noSuchExport();
    // Before the file is opened, which only whoever reads it gives back.
    if (record.order.personalData) requireFreshFactor(caller, operations.clock.nowMs());
    const contents = await operations.exports.open(owner, seen, params.id);
    if (contents === null) throw noSuchExport();
    if (contents === "not_ready") return refusal(409, "not_ready", "There is no file of it, or not yet");
    return { status: 200, stream: contents.pieces(), headers: contentDisposition(fileNameOf(record, operations.localTime)) };
  },
});
