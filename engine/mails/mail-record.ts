import type { MailKind } from "./mail.ts";

export const MAIL_STATES = ["QUEUED", "SENT", "FAILED", "EXPIRED"] as const;
export type MailState = (typeof MAIL_STATES)[number];

/** A mail as it is stored. What was sent, refused or came too late has no text any more: only who was written to, about what, and when. */
export interface MailRecord {
  schema: 1;
  id: string;
  kind: MailKind;
  to: string;
  merchantId: string | null;
  /** FAILED: refused for good. EXPIRED: nobody took it for as long as it was worth something. */
  state: MailState;
  /** Subject and text, sealed; null once it has ended. */
  sealed: string | null;
  /** Attempts that were begun. */
  attempts: number;
  /** When it is tried next; while an attempt is under way, when another one may begin. Null once it has ended. */
  nextAtMs: number | null;
  /** Until when it is worth something. */
  expiresAtMs: number;
  createdAtMs: number;
  updatedAtMs: number;
}

const MINUTE_MS = 60_000;

/** Waiting times after each attempt that failed; the last one again and again. */
const PAUSES_MS = [1, 5, 15, 60].map((minutes) => minutes * MINUTE_MS);

/**
 * An attempt that was begun has this long before another may begin: more than it can last by its own deadlines. A node that dies in
 * between leaves the mail to whoever is home then, after this time.
 */
export const MAIL_LEASE_MS = 2 * MINUTE_MS;

/** Where nothing sends mail, it is looked at again after this time: a node that sends may have come. */
const UNSENT_LOOK_MS = 15 * MINUTE_MS;

/** The attempt that begins now. */
export function claimed(record: MailRecord, atMs: number): MailRecord {
  return { ...record, attempts: record.attempts + 1, nextAtMs: atMs + MAIL_LEASE_MS, updatedAtMs: atMs };
}

/** The attempt failed, and may succeed later; the last look is at the end of its time. */
export function postponed(record: MailRecord, atMs: number): MailRecord {
  const pauseMs = PAUSES_MS[Math.min(record.attempts, PAUSES_MS.length) - 1] ?? MINUTE_MS;
  return { ...record, nextAtMs: Math.min(atMs + pauseMs, record.expiresAtMs), updatedAtMs: atMs };
}

/** Nobody sends it here: it waits in the outbox of the administrators. */
export function leftInOutbox(record: MailRecord, atMs: number): MailRecord {
  return { ...record, nextAtMs: Math.min(atMs + UNSENT_LOOK_MS, record.expiresAtMs), updatedAtMs: atMs };
}

/** It is over, and its text is gone. */
export function ended(record: MailRecord, state: Exclude<MailState, "QUEUED">, atMs: number): MailRecord {
  return { ...record, state, sealed: null, nextAtMs: null, updatedAtMs: atMs };
}
