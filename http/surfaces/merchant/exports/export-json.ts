import type { Caller } from "../../../../engine/access/caller.ts";
import type { ExportRecord } from "../../../../engine/exports/export.ts";
import { iso, isoOrNull } from "../../../endpoint/time.ts";
import type { LocalTime } from "../../parts/time.ts";
import { actorNames } from "../actor-names.ts";
import type { ExportJson } from "./schemas.ts";
import type { ExportOperations } from "./surface.ts";

type Seen = Pick<ExportOperations, "users" | "localTime">;

export async function exportList({ users, localTime }: Seen, caller: Caller, records: readonly ExportRecord[]): Promise<ExportJson[]> {
  const names = await actorNames(
    users,
    caller,
    records.map(({ createdBy }) => createdBy),
  );
  return records.map((record) => {
    const { id, order, state, failure, rows, bytes, createdAtMs, createdBy, startedAtMs, endedAtMs, expiresAtMs } = record;
    const { list, filters, format, columns, lang, personalData } = order;
    const { by, byType: creator } = names(createdBy);
    return {
      ...{ id, list, filters: { ...filters }, format, columns: [...columns], lang, personalData, state, failure, rows, bytes },
      fileName: state === "READY" ? fileNameOf(record, localTime) : null,
      ...{ createdAt: iso(createdAtMs), createdBy: by, creator },
      ...{ startedAt: isoOrNull(startedAtMs), endedAt: isoOrNull(endedAtMs), expiresAt: isoOrNull(expiresAtMs) },
    };
  });
}

export async function exportJson(operations: Seen, caller: Caller, record: ExportRecord): Promise<ExportJson> {
  const [json] = await exportList(operations, caller, [record]);
  if (json === undefined) throw new Error("a list of one has one");
  return json;
}

/** The list, the merchant, and when it was asked for; two of one minute differ in their ids. */
export function fileNameOf({ id, merchantId, order, createdAtMs }: ExportRecord, localTime: LocalTime): string {
  const at = localTime.format(createdAtMs).slice(0, "YYYY-MM-DDTHH:MM".length).replace("T", "_").replace(":", "");
  return `${order.list}_${merchantId}_${at}_${id.slice(-4)}.${order.format.toLowerCase()}`;
}

export const EXPORT_EXAMPLE: ExportJson = {
  id: "exp_4f0k2m9x7q1c8v5b3n6z0a2s",
  list: "transactions",
  filters: { from: "2026-11-01", to: "2026-11-25", status: "OK" },
  format: "XLSX",
  columns: ["createdAt", "uuid", "terminalId", "amount", "currency"],
  lang: "it",
  personalData: false,
  state: "READY",
  failure: null,
  rows: 1_204,
  bytes: 61_338,
  fileName: "transactions_SHOP-001_2026-11-25_1100_0a2s.xlsx",
  createdAt: "2026-11-25T10:00:00.000Z",
  createdBy: "anna@example.com",
  creator: "user",
  startedAt: "2026-11-25T10:00:00.100Z",
  endedAt: "2026-11-25T10:00:02.000Z",
  expiresAt: "2026-11-26T10:00:02.000Z",
};

export const EXPORT_QUEUED_EXAMPLE: ExportJson = {
  ...EXPORT_EXAMPLE,
  ...{ state: "QUEUED", rows: null, bytes: null, fileName: null, startedAt: null, endedAt: null, expiresAt: null },
};
