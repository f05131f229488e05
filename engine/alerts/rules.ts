import { type AlertRecord, type AlertRefund, isRefunding } from "./alert.ts";
import type { AlertEvent } from "./events.ts";

const MINUTE_MS = 60_000;

/** Whoever was about to ask the gateway has this long to say what came of it. */
const REFUND_LEASE_MS = MINUTE_MS;
/** When it is looked up what became of it, after each time that nobody knew; the last one again and again. */
const CHECKS_MS = [MINUTE_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 120 * MINUTE_MS, 720 * MINUTE_MS] as const;

/** Unknown after so many checks (about half an hour), operators are told. */
const FLAG_CHECKS = 3;

export function isInTime({ respondByMs }: Pick<AlertRecord, "respondByMs">, atMs: number): boolean {
  return atMs < respondByMs;
}

/** A refund as it is when it is asked for. */
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

/** Of a payment that is known, in time, and not while one is under way. Where the network moves the money, the relay never does. */
export function mayRefund(record: AlertRecord, atMs: number): boolean {
  return record.uuid !== null && record.source !== "RDR" && !isRefunding(record) && isInTime(record, atMs);
}

/** Whether the gateway may still be asked for a refund that it was not asked for: nothing begins to move after the deadline. */
export function mayResume(record: AlertRecord, atMs: number): boolean {
  return isRefunding(record) && isInTime(record, atMs);
}

/** Whether its time is over; not while money may be moving, for that decides first. */
export function isOver(record: AlertRecord, atMs: number): boolean {
  return !isInTime(record, atMs) && !isRefunding(record);
}

export function isCheckDue({ refund }: AlertRecord, atMs: number): boolean {
  return refund?.state === "requested" && (refund.nextAtMs ?? 0) <= atMs;
}

/** Whether it is long unknown by this check; once. */
export function isLongUnknown(record: AlertRecord, atMs: number): boolean {
  return isCheckDue(record, atMs) && record.refund?.checks === FLAG_CHECKS;
}

/** Whether operators were told that nobody knows. */
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

/** Whether the payment was given back by the relay itself. */
export function hasMoved({ refund }: AlertRecord): boolean {
  return refund?.state === "done" && refund.moved;
}

/** When the relay looks at it next by itself: what became of its refund, else its deadline. */
export function nextAtMs(record: Omit<AlertRecord, "nextAtMs">): number | null {
  if (record.refund?.state === "requested") return record.refund.nextAtMs;
  return record.state === "PENDING" ? record.respondByMs : null;
}
