import type { Of } from "./events.ts";
import {
  isPaidTwice,
  PORTAL_LINK_ATTEMPTS_MAX,
  PORTAL_LINK_MAILS_MAX,
  type PortalLinkAttempt,
  type PortalLinkRecord,
} from "./portal-link.ts";

/** Whether somebody may be paying it, or be sent to pay it. */
export function isOpen({ state }: PortalLinkAttempt): boolean {
  return state === "opening" || state === "open";
}

/** Whether nobody pays it any more, by the gateway's own word. */
export function isOver({ state, settled }: PortalLinkAttempt): boolean {
  return state === "failed" && settled === true;
}

/** Whether its time is over; whoever is paying then may end that. */
export function isTimeOver({ order }: Pick<PortalLinkRecord, "order">, atMs: number): boolean {
  return atMs >= order.expiresAtMs;
}

/** Never two that could be paid: another one is begun only after the gateway's own word on the end of the one before. */
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

/** Whether the attempt is paid from now on. What is paid stays so. */
export function becomesPaid(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  const before = attemptBefore(record, event);
  return before !== undefined && before.state !== "paid" && event.attempt.state === "paid";
}

/** Whether it is then paid more than once. */
export function becomesPaidTwice(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  return becomesPaid(record, event) && isPaidTwice(withAttempt(record, event));
}

/** The record with what the link says of an attempt now. */
export function withAttempt(record: PortalLinkRecord, event: Of<"attempt.changed">): PortalLinkRecord {
  const before = attemptBefore(record, event);
  const after = { ...record, attempts: record.attempts.map((attempt) => (attempt === before ? event.attempt : attempt)) };
  return { ...after, nextAtMs: nextAtMs(after, event.atMs) };
}

/** Whether its time is over and nobody is paying it any more. */
export function expiresBy(record: PortalLinkRecord, atMs: number): boolean {
  return isTimeOver(record, atMs) && !record.attempts.some(isOpen);
}

/**
 * When the relay looks at it next by itself. Where its time is over while an attempt is open, that attempt's own end decides, in the commit in which it
 * becomes known. One that ends by a clock that goes after is looked at again at once, so that none stays pending for ever.
 */
export function nextAtMs(record: PortalLinkRecord, atMs: number): number | null {
  if (record.state !== "PENDING") return null;
  return isTimeOver(record, atMs) && record.attempts.some(isOpen) ? null : record.order.expiresAtMs;
}

export function isDue({ nextAtMs: next }: PortalLinkRecord, atMs: number): boolean {
  return next !== null && next <= atMs;
}

/** Whether it may be sent once more. */
export function mayMail(record: PortalLinkRecord, atMs: number): boolean {
  return !isTimeOver(record, atMs) && record.mails.length < PORTAL_LINK_MAILS_MAX;
}

/** Whether of several payments one is left by the event. */
export function settlesTwice(record: PortalLinkRecord, event: Of<"attempt.changed">): boolean {
  return isPaidTwice(record) && !isPaidTwice(withAttempt(record, event));
}
