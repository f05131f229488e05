import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { EXPORT_EXAMPLE, exportJson } from "./export-json.ts";
import { ExportItem } from "./schemas.ts";
import { ExportParams, exportSurface, noSuchExport, seenBy } from "./surface.ts";

export const showExport = exportSurface.endpoint({
  name: "showExport",
  method: "GET",
  path: `${MERCHANT_BASE}/exports/{id}`,
  summary: "Get an export",
  description:
    "Only the user who requested the export and the roles OWNER and ADMIN may call it. The response is 404 for everybody else, and after the export's 24 hours. Call it every second or two until the file is ready.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  rateLimit: PORTAL_RATE,
  params: ExportParams,
  responses: {
    200: { description: "The export.", body: okOf(ExportItem), example: { status: "ok", data: EXPORT_EXAMPLE } },
    ...exportSurface.errors(400, 401, 403, 404, 429, 503),
  },
  handle: async (operations, { caller, params }) => {
    const record = await operations.exports.find(merchantOwnerOf(caller), seenBy(caller), params.id);
    if (record === null) throw noSuchExport();
    return { status: 200, body: ok(await exportJson(operations, caller, record)) };
  },
});
