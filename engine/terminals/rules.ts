import { SENT_COMMANDS_MAX } from "../kernel/limits.ts";
import type { TerminalContext, TerminalState } from "./events.ts";
import { maySendMore } from "./shares.ts";
import type { QueuedEntry, SentEntry, TerminalRecord } from "./terminal-record.ts";

/** When the actor wants `deadline.passed` next, or null. Deadlines are data: re-armed from the record after a restart. */
export function nextDeadlineMs(context: TerminalContext): number | null {
  let next = Number.POSITIVE_INFINITY;
  for (const entry of context.queue) {
    next = Math.min(next, entry.expiresAtMs);
    if (entry.refusedBy !== null) next = Math.min(next, entry.refusedBy.untilMs);
  }
  for (const entry of context.sent) {
    next = Math.min(next, entry.unknownAtMs);
    if (entry.refusedBy !== null) next = Math.min(next, entry.refusedBy.untilMs);
  }
  return Number.isFinite(next) ? next : null;
}

/**
 * The oldest command that may go out at `atMs` to this session (or to a poll), if the head of the queue is such a one. One whose sender has as many
 * sent as it may is passed over: it waits, and nobody else waits for it.
 */
export function nextToSend(context: TerminalContext, atMs: number, sessionId: string | null): QueuedEntry | undefined {
  if (context.sent.length >= SENT_COMMANDS_MAX) return undefined;
  const head = context.queue.find((entry) => entry.expiresAtMs > atMs && maySendMore(context.sent, entry));
  return head !== undefined && isRefusedBy(head, sessionId, atMs) ? undefined : head;
}

/** The oldest command that this session, which remembers uuids, may get again at `atMs`. */
export function nextToRedeliver(context: TerminalContext, atMs: number, sessionId: string): SentEntry | undefined {
  return context.sent.find((entry) => isHeld(entry) && mayGoTo(entry, sessionId, atMs));
}

/** No session has it. One that is to be cancelled is not sent again: the CANCEL is. */
export function isHeld({ held, session, redeliverable, cancelRequested }: SentEntry): boolean {
  return held && session === null && redeliverable && !cancelRequested;
}

/** In time, and not to the session that has just refused it. */
export function mayGoTo(entry: Pick<QueuedEntry, "expiresAtMs" | "refusedBy">, sessionId: string | null, atMs: number): boolean {
  return entry.expiresAtMs > atMs && !isRefusedBy(entry, sessionId, atMs);
}

function isRefusedBy({ refusedBy }: Pick<QueuedEntry, "refusedBy">, sessionId: string | null, atMs: number): boolean {
  return refusedBy !== null && refusedBy.session === sessionId && refusedBy.untilMs > atMs;
}

/** The state that a stored record stands in. */
export function stateOf(context: Pick<TerminalContext, "queue" | "sent">): TerminalState {
  if (context.queue.length > 0) return "waiting";
  return context.sent.length > 0 ? "executing" : "idle";
}

/** The stored part of the actor as the record of `terminalId`. */
export function toRecord(terminalId: string, context: TerminalContext): TerminalRecord {
  return { terminalId, queue: context.queue, sent: context.sent, latest: context.latest };
}
