import type { CallEntry, WorkflowEntry } from "../../engine/kernel/activity-log.ts";

/** The tables of migration 0006. */
export const ACTIVITY_TABLES = ["workflow_log", "call_log"] as const;
export type ActivityTable = (typeof ACTIVITY_TABLES)[number];

/** Lines of JSONEachRow for each table. Threads pass them on unchanged. */
export type ActivityLines = { readonly [Table in ActivityTable]: readonly string[] };

/** Returns the line of an entry. An omitted column has its default: an empty text or 0. */
export function workflowLine(entry: WorkflowEntry, id: string): string {
  const { atMs, merchantId, objectType, objectId, event, from, to, requestId, outcome } = entry;
  return lineOf({
    ...keyOf(merchantId, atMs, id),
    object_type: objectType,
    object_id: objectId,
    event,
    from_state: from ?? undefined,
    to_state: to,
    outcome,
    request_id: requestId ?? undefined,
  });
}

export function callLine(entry: CallEntry, id: string): string {
  const { atMs, merchantId, objectId, target, operation, host, httpStatus, outcome, detail, ms, requestId } = entry;
  return lineOf({
    ...keyOf(merchantId, atMs, id),
    target,
    operation,
    host,
    object_id: objectId,
    http_status: httpStatus ?? undefined,
    outcome,
    detail: detail ?? undefined,
    ms,
    request_id: requestId ?? undefined,
  });
}

/**
 * Returns the key columns. The time is in UTC, in the form that every ClickHouse version reads
 * without a setting.
 */
function keyOf(merchantId: string, atMs: number, id: string) {
  const iso = new Date(atMs).toISOString();
  return { merchant_id: merchantId, day: iso.slice(0, 10), at: iso.slice(0, 23).replace("T", " "), id };
}

function lineOf(row: { readonly [column: string]: string | number | undefined }): string {
  return `${JSON.stringify(row)}\n`;
}
