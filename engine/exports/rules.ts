import { EXPORT_KEPT_MS, type ExportFailure, type ExportRecord } from "./export.ts";
import type { ExportRoom } from "./export-store.ts";

/** Time for which a node has an export to itself without renewing the lease. */
export const LEASE_MS = 60_000;

/**
 * ClickHouse or the store is unavailable or busy: the export is tried again after AGAIN_MS, and
 * fails once it was requested GIVE_UP_MS ago.
 */
export const AGAIN_MS = 15_000;
export const GIVE_UP_MS = 3_600_000;

/** Returns true if the export waits, or if the lease of its attempt has expired. */
export function isToBegin({ state, nextAtMs, leaseUntilMs }: ExportRecord, nowMs: number): boolean {
  return (state === "QUEUED" && (nextAtMs ?? 0) <= nowMs) || (state === "RUNNING" && (leaseUntilMs ?? 0) <= nowMs);
}

export function isOver({ expiresAtMs }: ExportRecord, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs <= nowMs;
}

export function begun(record: ExportRecord, lease: string, nowMs: number): ExportRecord {
  const leaseUntilMs = nowMs + LEASE_MS;
  return {
    ...record,
    ...{ state: "RUNNING", attempts: record.attempts + 1, leaseOf: lease, leaseUntilMs, startedAtMs: nowMs, updatedAtMs: nowMs },
    nextAtMs: leaseUntilMs,
  };
}

export function renewed(record: ExportRecord, nowMs: number): ExportRecord {
  const leaseUntilMs = nowMs + LEASE_MS;
  return { ...record, leaseUntilMs, nextAtMs: leaseUntilMs, updatedAtMs: nowMs };
}

/**
 * Returns the export to the queue without counting the attempt. Only its own node does this, which
 * knows that the attempt produced nothing.
 */
export function queuedAgain(record: ExportRecord, againAtMs: number, nowMs: number): ExportRecord {
  return {
    ...record,
    ...{ state: "QUEUED", attempts: record.attempts - 1, leaseOf: "", leaseUntilMs: null, updatedAtMs: nowMs, nextAtMs: againAtMs },
  };
}

export function ready(record: ExportRecord, made: { file: string; rows: number; bytes: number }, nowMs: number): ExportRecord {
  return { ...ended(record, nowMs), state: "READY", file: made.file, rows: made.rows, bytes: made.bytes };
}

export function failed(record: ExportRecord, failure: ExportFailure, nowMs: number): ExportRecord {
  return { ...ended(record, nowMs), state: "FAILED", failure };
}

function ended(record: ExportRecord, nowMs: number): ExportRecord {
  const expiresAtMs = nowMs + EXPORT_KEPT_MS;
  return { ...record, leaseOf: "", leaseUntilMs: null, endedAtMs: nowMs, updatedAtMs: nowMs, expiresAtMs, nextAtMs: expiresAtMs };
}

export function roomWith(room: ExportRoom, id: string): ExportRoom {
  return { ...room, underWay: [...room.underWay, id], kept: room.kept + 1 };
}

export function roomAfterEnd(room: ExportRoom, { id, bytes }: ExportRecord): ExportRoom {
  return { ...room, underWay: room.underWay.filter((one) => one !== id), bytes: room.bytes + (bytes ?? 0) };
}

export function roomWithout(room: ExportRoom, { id, bytes }: ExportRecord): ExportRoom {
  return {
    ...room,
    underWay: room.underWay.filter((one) => one !== id),
    kept: Math.max(0, room.kept - 1),
    bytes: Math.max(0, room.bytes - (bytes ?? 0)),
  };
}
