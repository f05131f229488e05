import type { Of } from "./events.ts";
import {
  isPaidTwice,
  PORTAL_LINK_ATTEMPTS_MAX,
  PORTAL_LINK_MAILS_MAX,
  type PortalLinkAttempt,
  type PortalLinkRecord,
} from "./portal-link.ts";

export function isOpen({ state }: PortalLinkAttempt): boolean {
  return state === "opening" || state === "open";
}

/** The gateway confirms that nobody pays the attempt. */
export function isOver({ state, settled }: PortalLinkAttempt): boolean {
  return state === "failed" && settled === true;
}

/** A customer who is already paying may finish after this time. */
export function isTimeOver({ order }: Pick<PortalLinkRecord, "order">, atMs: number): boolean {
  return atMs >= order.expiresAtMs;
}

/** Two attempts are never payable at once: the gateway first confirms that the last one failed. */
export function mayBegin(record: PortalLinkRecord, { attempt, atMs }: Of<"attempt.begun">): boolean {
  const { id, attempts } = record;
  const last = attempts.at(-1);
  if (isTimeOver(record, atMs) || attempts.length >= PORTAL_LINK_ATTEMPTS_MAX) return false;
  return (last === undefined || isOver(last)) && attempt.txId === `${id}.${attempts.length + 1}`;
}

function attemptBefore({ attempts }: PortalLinkRecord, { attempt: { txId } }: Of<"attempt.changed">): PortalLinkAttempt | undefined {
  return attempts.find((attempt) => attempt.txId === txId);
}

export function isKnown(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  return attemptBefore(record, event) !== undefined;
}

/** A paid attempt stays paid. */
export function becomesPaid(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  const before = attemptBefore(record, event);
  return before !== undefined && before.state !== "paid" && event.attempt.state === "paid";
}

export function becomesPaidTwice(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  return becomesPaid(record, event) && isPaidTwice(withAttempt(record, event));
}

export function withAttempt(record: PortalLinkRecord, event: Of<"attempt.changed">): PortalLinkRecord {
  const before = attemptBefore(record, event);
  const after = { ...record, attempts: record.attempts.map((attempt) => (attempt === before ? event.attempt : attempt)) };
  return { ...after, nextAtMs: nextAtMs(after, event.atMs) };
}

export function expiresBy(record: PortalLinkRecord, atMs: number): boolean {
  return isTimeOver(record, atMs) && !record.attempts.some(isOpen);
}

/**
 * If an attempt is open when the time is over, its end decides, in the same commit. An attempt that
 * ends by a slower clock is checked at once, so that no link stays PENDING forever.
 */
export function nextAtMs(record: PortalLinkRecord, atMs: number): number | null {
  if (record.state !== "PENDING") return null;
  return isTimeOver(record, atMs) && record.attempts.some(isOpen) ? null : record.order.expiresAtMs;
}

export function isDue({ nextAtMs: next }: PortalLinkRecord, atMs: number): boolean {
  return next !== null && next <= atMs;
}

export function mayMail(record: PortalLinkRecord, atMs: number): boolean {
  return !isTimeOver(record, atMs) && record.mails.length < PORTAL_LINK_MAILS_MAX;
}

/** Exactly one payment is left that was not refunded. */
export function settlesTwice(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  return isPaidTwice(record) && !isPaidTwice(withAttempt(record, event));
}
