import { Type } from "@sinclair/typebox";
import { listEndpoint } from "../resource-endpoints.ts";
import { PAGE_QUERY } from "../schema-parts.ts";
import { exportItem } from "./schemas.ts";
import { exportContext, exportSurface, seenBy } from "./surface.ts";

export const listExports = listEndpoint(exportSurface, {
  name: "listExports",
  path: "/exports",
  summary: "List exports",
  description:
    "Lists exports, newest first: those that the caller requested, and for OWNER and ADMIN all of the merchant. A key sees the exports that were requested with a key.",
  may: "operate",
  query: Type.Object(PAGE_QUERY),
  item: exportItem,
  page: ({ exports }, owner, { limit, cursor = null }, caller) => exports.list(owner, seenBy(caller), { limit, cursor }),
  context: exportContext,
});
