import { type AlertRecord, type AlertRefund, isRefunding } from "./alert.ts";
import type { AlertEvent } from "./events.ts";

const MINUTE_MS = 60_000;

/** After this time without an outcome, another shard may track the refund. */
const REFUND_LEASE_MS = MINUTE_MS;
/** The pauses between checks of an unknown outcome. The last one repeats. */
const CHECKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 720 * MINUTE_MS] as const;

/** After so many checks (about half an hour) operators are notified. */
const FLAG_CHECKS = 3;

export function isInTime({ respondByMs }: Pick<AlertRecord, "respondByMs">, atMs: number): boolean {
  return atMs < respondByMs;
}

export function newRefund(given: Pick<AlertRefund, "id" | "by" | "requestId" | "attempt">, atMs: number): AlertRefund {
  return {
    ...given,
    ...{
      state: "requested",
      requestedAtMs: atMs,
      checks: 0,
      nextAtMs: atMs + REFUND_LEASE_MS,
      endedAtMs: null,
      moved: false,
      detail: null,
    },
  };
}

/** The relay never moves money of `RDR`, because the network does. */
export function mayRefund(record: AlertRecord, atMs: number): boolean {
  return record.uuid !== null && record.source !== "RDR" && !isRefunding(record) && isInTime(record, atMs);
}

/** No money starts to move after the deadline. */
export function mayResume(record: AlertRecord, atMs: number): boolean {
  return isRefunding(record) && isInTime(record, atMs);
}

/** The deadline waits while money may be moving. */
export function isOver(record: AlertRecord, atMs: number): boolean {
  return !isInTime(record, atMs) && !isRefunding(record);
}

export function isCheckDue({ refund }: AlertRecord, atMs: number): boolean {
  return refund?.state === "requested" && (refund.nextAtMs ?? 0) <= atMs;
}

/** Returns true only for the check at which operators are notified. */
export function isLongUnknown(record: AlertRecord, atMs: number): boolean {
  return isCheckDue(record, atMs) && record.refund?.checks === FLAG_CHECKS;
}

export function wasFlaggedUnknown({ refund }: AlertRecord): boolean {
  return refund !== null && refund.checks > FLAG_CHECKS;
}

export function checkedRefund({ refund }: AlertRecord, atMs: number): AlertRefund | null {
  if (refund === null) return null;
  const pauseMs = CHECKS_MS[Math.min(refund.checks, CHECKS_MS.length - 1)] ?? REFUND_LEASE_MS;
  return { ...refund, checks: refund.checks + 1, nextAtMs: atMs + pauseMs };
}

export function resumedRefund({ refund }: AlertRecord, atMs: number): AlertRefund | null {
  return refund === null ? null : { ...refund, nextAtMs: atMs + REFUND_LEASE_MS };
}

export function endedRefund({ refund }: AlertRecord, event: AlertEvent): AlertRefund | null {
  if (refund === null) return null;
  const ended = { ...refund, nextAtMs: null, endedAtMs: event.atMs };
  if (event.type === "refund.done") return { ...ended, state: "done", moved: event.moved };
  return event.type === "refund.failed" ? { ...ended, state: "refused", detail: event.detail } : refund;
}

export function hasMoved({ refund }: AlertRecord): boolean {
  return refund?.state === "done" && refund.moved;
}

/** The outcome of a refund comes before the deadline. */
export function nextAtMs(record: Omit<AlertRecord, "nextAtMs">): number | null {
  if (record.refund?.state === "requested") return record.refund.nextAtMs;
  return record.state === "PENDING" ? record.respondByMs : null;
}
