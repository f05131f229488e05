import { QUEUED_COMMANDS_MAX, QUEUED_OF_SENDER_MAX, SENT_COMMANDS_MAX, SENT_OF_SENDER_MAX } from "../kernel/limits.ts";
import type { PlaceBound, QueueFull, TerminalContext } from "./events.ts";
import type { QueuedEntry, SentEntry } from "./terminal-record.ts";

/**
 * Fair shares of a terminal's places: how many commands wait, and how many await their results, of one sender and of all senders together that only
 * rule ANY admits. Every request passes here, so nothing is allocated, and nothing is counted while even one sender could not have used up its share.
 */

/** Whose command it is. */
type Held = Pick<QueuedEntry, "sender" | "byAny">;

/** Says why one more command of this sender may not wait; null where it may. */
export function queueFullFor(context: Pick<TerminalContext, "queue" | "sent">, entry: Held): QueueFull | null {
  const { queue } = context;
  const full = fullShare(queue, entry, QUEUED_OF_SENDER_MAX);
  if (full !== null) return { bound: full, freeAtMs: freeAtMs(context, entry, full) };
  if (queue.length < QUEUED_COMMANDS_MAX || placesTaken(queue) < QUEUED_COMMANDS_MAX) return null;
  return { bound: "terminal", freeAtMs: freeAtMs(context, entry, "terminal") };
}

/** Says whether one more command of this sender may await its result. */
export function maySendMore(sent: readonly SentEntry[], entry: Held): boolean {
  return sent.length < SENT_COMMANDS_MAX && fullShare(sent, entry, SENT_OF_SENDER_MAX) === null;
}

function fullShare(list: readonly Held[], { sender, byAny }: Held, max: number): "sender" | "any" | null {
  if (list.length < max) return null;
  let own = 0;
  let any = 0;
  for (const other of list) {
    if (other.sender === sender) own += 1;
    if (other.byAny) any += 1;
  }
  if (own >= max) return "sender";
  return byAny && any >= max ? "any" : null;
}

/**
 * Commands that came back stand in the queue beside those that were accepted since, and may be more than a share. They take no place of others:
 * a sender whose commands a busy terminal returns must not shut anyone out.
 */
function placesTaken(queue: readonly QueuedEntry[]): number {
  let taken = 0;
  for (const entry of queue) if (heldBefore(queue, entry) < QUEUED_OF_SENDER_MAX) taken += 1;
  return taken;
}

function heldBefore(queue: readonly QueuedEntry[], entry: QueuedEntry): number {
  let held = 0;
  for (const other of queue) {
    if (other === entry) break;
    if (entry.byAny ? other.byAny : !other.byAny && other.sender === entry.sender) held += 1;
  }
  return held;
}

/** A waiting command leaves when it expires, or when it may be offered again; where what was sent takes up the share, when the first of that ends. */
function freeAtMs({ queue, sent }: Pick<TerminalContext, "queue" | "sent">, entry: Held, bound: PlaceBound): number {
  let next = Number.POSITIVE_INFINITY;
  for (const waiting of queue) {
    if (!countsFor(waiting, entry, bound)) continue;
    next = Math.min(next, waiting.expiresAtMs);
    if (waiting.refusedBy !== null) next = Math.min(next, waiting.refusedBy.untilMs);
  }
  if (maySendMore(sent, entry)) return next;
  for (const awaited of sent) if (countsFor(awaited, entry, bound)) next = Math.min(next, awaited.unknownAtMs);
  return next;
}

function countsFor(other: Held, { sender }: Held, bound: PlaceBound): boolean {
  switch (bound) {
    case "terminal":
      return true;
    case "sender":
      return other.sender === sender;
    case "any":
      return other.byAny;
  }
}
