import { Type } from "@sinclair/typebox";
import { ok, okOf } from "../envelope.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { EXPORT_EXAMPLE, exportList } from "./export-json.ts";
import { ExportPage } from "./schemas.ts";
import { exportSurface, seenBy } from "./surface.ts";

export const listExports = exportSurface.endpoint({
  name: "listExports",
  method: "GET",
  path: `${MERCHANT_BASE}/exports`,
  summary: "List exports",
  description:
    "Lists exports, newest first: those that the caller requested, and for OWNER and ADMIN all of the merchant. A key sees the exports that were requested with a key.",
  auth: "merchantUserOrKey",
  apartByEnvironment: true,
  may: "operate",
  rateLimit: PORTAL_RATE,
  query: Type.Object(PAGE_QUERY),
  responses: {
    200: { description: "A page.", body: okOf(ExportPage), example: { status: "ok", data: { items: [EXPORT_EXAMPLE], next: null } } },
    ...exportSurface.errors(400, 401, 403, 429, 503),
  },
  handle: async (operations, { caller, query: { limit, cursor = null } }) => {
    const { items, next } = await operations.exports.list(merchantOwnerOf(caller), seenBy(caller), { limit, cursor });
    return { status: 200, body: ok({ items: await exportList(operations, caller, items), next }) };
  },
});
