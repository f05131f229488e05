import { EXPORT_KEPT_MS, type ExportFailure, type ExportRecord } from "./export.ts";
import type { ExportRoom } from "./export-store.ts";

/** How long a node has an export to itself without saying that it is still at it. */
export const LEASE_MS = 60_000;

/** What it reads is away, or busy: it is tried again after this time, and given up when it was asked for so long ago. */
export const AGAIN_MS = 15_000;
export const GIVE_UP_MS = 3_600_000;

/** Whether it is to be begun: it waits, or nobody is at it any more. */
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

/** Back into the queue, as if it had not been begun: by its own node, which knows that nothing came of it. */
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
