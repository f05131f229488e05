import type { ExportJson } from "../../../../http/surfaces/merchant/exports/schemas.ts";

export function exportOf(changes: Partial<ExportJson> = {}): ExportJson {
  return {
    ...{ id: "exp_4f0k2m9x7q1c8v5b3n6z0a2s", list: "transactions", format: "XLSX", lang: "en", personalData: false },
    ...{ filters: { from: "2026-11-01", to: "2026-11-25", status: "OK" }, columns: ["createdAt", "uuid", "amount", "currency"] },
    ...{ state: "READY", failure: null, rows: 1_204, bytes: 61_338, fileName: "transactions_SHOP-001_2026-11-25_1100_0a2s.xlsx" },
    ...{ createdAt: "2026-11-25T10:00:00.000Z", createdBy: "anna.rossi@example.com", creator: "user" },
    ...{ startedAt: "2026-11-25T10:00:00.100Z", endedAt: "2026-11-25T10:00:02.000Z", expiresAt: "2026-11-26T10:00:02.000Z" },
    ...changes,
  };
}

const notYet = { rows: null, bytes: null, fileName: null, endedAt: null, expiresAt: null } as const;

export const EXPORTS = {
  queued: exportOf({ id: "exp_1", state: "QUEUED", list: "payment-links", format: "CSV", filters: {}, startedAt: null, ...notYet }),
  running: exportOf({ id: "exp_2", state: "RUNNING", list: "subscriptions", personalData: true, ...notYet }),
  ready: exportOf(),
  failed: exportOf({
    ...{ id: "exp_4", state: "FAILED", failure: "too_many_rows", rows: null, bytes: null, fileName: null },
    ...{ createdBy: "API key", creator: "key" },
  }),
} as const satisfies Record<string, ExportJson>;

export const EXPORT_LIST = { items: Object.values(EXPORTS), next: null };
