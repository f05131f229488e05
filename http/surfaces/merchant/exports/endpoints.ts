import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { createExport } from "./create-export.ts";
import { downloadExport } from "./download-export.ts";
import { listExports } from "./list-exports.ts";
import { showExport } from "./show-export.ts";
import type { ExportOperations } from "./surface.ts";

/** The endpoints of files that are made of a merchant's lists in the background. */
export const exportEndpoints: Endpoint<ExportOperations & MerchantOperations>[] = [listExports, createExport, showExport, downloadExport];
