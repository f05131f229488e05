import type { Caller } from "../../../../engine/access/caller.ts";
import {
  EXPORT_KEPT_MS,
  EXPORTS_KEPT_MAX,
  EXPORTS_UNDER_WAY_MAX,
  type ExportFilters,
  type ExportOrder,
} from "../../../../engine/exports/export.ts";
import { XLSX_ROWS_MAX } from "../../../../engine/exports/words.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { maskSchemePans } from "../../../../engine/kernel/mask.ts";
import { requirePersonalData } from "../../../endpoint/personal-data.ts";
import { printable } from "../../../endpoint/unknown-members.ts";
import { ok, okOf, refusal } from "../envelope.ts";
import { MERCHANT_BASE, merchantOf, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { columnsOf, hasPersonalData, usualColumns } from "./columns.ts";
import { listQueryOf } from "./filters.ts";
import { CreateExport, type CreateExportJson, exportItem } from "./schemas.ts";
import { type ExportOperations, exportActorOf, exportSurface, oneExport, requireFreshFactor } from "./surface.ts";

const QUEUED_EXAMPLE = {
  ...exportItem.example,
  ...{ state: "QUEUED", rows: null, bytes: null, fileName: null, startedAt: null, endedAt: null, expiresAt: null },
};
const HOURS_KEPT = EXPORT_KEPT_MS / 3_600_000;

export const createExport = exportSurface.endpoint({
  name: "createExport",
  // A misspelt `filters` would export more than intended.
  refusesUnknown: "limits",
  method: "POST",
  path: `${MERCHANT_BASE}/exports`,
  summary: "Create an export",
  description: `Creates a file of the rows of a list, with the list's own filters, in the background: call \`GET /api/merchant/exports/{id}\` until the state is READY or FAILED. The relay stores the file for ${HOURS_KEPT} hours. An XLSX file has at most ${XLSX_ROWS_MAX} rows. Values that the list masks for the caller are masked in the file, too.`,
  auth: "merchantUserOrKey",
  may: "operate",
  stepUp: { where: "for columns about people (see the guide)" },
  rateLimit: PORTAL_RATE,
  body: CreateExport,
  bodyExample: { list: "transactions", filters: { from: "2026-11-01", to: "2026-11-25", status: "OK" }, format: "XLSX", lang: "it" },
  idempotency: "sealed",
  audit: {
    action: "export.create",
    subject: ({ body: { list, format } }) => `${list} ${format}`,
  },
  responses: {
    201: { description: "Queued.", body: okOf(exportItem.schema), example: { status: "ok", data: QUEUED_EXAMPLE } },
    ...exportSurface.errors(400, 401, 403, 413, 415, 429, 503),
    409: {
      description: `${EXPORTS_UNDER_WAY_MAX} exports of the merchant are queued or running (exports_running), ${EXPORTS_KEPT_MAX} are stored (exports_full), or the installation has no folder for them (no_folder). Or the same \`Idempotency-Key\` was used with another body.`,
      body: exportSurface.envelope.schema,
    },
  },
  handle: async (operations, { caller, body, operationId }) => {
    const order = checkedOrder(operations, caller, body);
    // Ids are derived from the operation id, so it includes the merchant.
    const operation = { id: `${merchantOf(caller)}/${operationId}` };
    const outcome = await operations.exports.create(merchantOwnerOf(caller), order, exportActorOf(caller), operation);
    switch (outcome.type) {
      case "too_many":
        return refusal(409, "exports_running", `${EXPORTS_UNDER_WAY_MAX} exports are queued or running; wait until one has ended`);
      case "full":
        return refusal(
          409,
          "exports_full",
          `${EXPORTS_KEPT_MAX} exports are stored; the relay deletes the oldest one ${HOURS_KEPT} hours after it was ready`,
        );
      case "no_folder":
        return refusal(409, "no_folder", "This installation has no folder for files; its operator must set RELAY_EXPORT_DIR");
      case "created":
        return { status: 201, body: ok(await oneExport.json(operations, caller, outcome.record)) };
    }
  },
});

/**
 * Throws RelayError `invalid_request` for columns and filters that the list does not have, and
 * `forbidden` for those that the caller may not export.
 */
function checkedOrder({ localTime, clock }: ExportOperations, caller: Caller, body: CreateExportJson): ExportOrder {
  const { list, format, lang = "it" } = body;
  const filters = masked(body.filters ?? {});
  const columns = body.columns ?? usualColumns(list);
  const known = columnsOf(list);
  const unknown = columns.find((name) => !known.has(name));
  if (unknown !== undefined) {
    throw new RelayError(
      "invalid_request",
      `columns: ${list} has no column ${printable(unknown)}; choose from ${[...known.keys()].join(", ")}`,
    );
  }
  const nowMs = clock.nowMs();
  listQueryOf(list, filters, caller, localTime, nowMs);
  const personalData = hasPersonalData(list, columns);
  if (personalData) {
    requirePersonalData(caller, "columns");
    requireFreshFactor(caller, nowMs);
  }
  return { list, filters, format, columns, lang, personalData };
}

/**
 * Filters are stored, so card numbers in them are masked. A card number matches nothing in any
 * list.
 */
function masked(filters: ExportFilters): ExportFilters {
  return Object.fromEntries(
    Object.entries(filters).map(([name, value]) => [name, typeof value === "string" ? maskSchemePans(value) : value]),
  );
}
