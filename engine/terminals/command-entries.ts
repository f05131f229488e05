import { NACK_PAUSE_MS } from "../kernel/limits.ts";
import { type Channel, notBefore, unknownAfterMs } from "../payments/command.ts";
import type { Finished, TakingSession, TerminalEvent } from "./events.ts";
import type { QueuedEntry, SentEntry } from "./terminal-record.ts";

/** A command as it stands in its terminal's record. What the machine (command-machine.ts) makes of it is written here. */
export type Entry = QueuedEntry | SentEntry;

export function isSent(entry: Entry): entry is SentEntry {
  return "sentAtMs" in entry;
}

// They are written out member by member: objects of one shape, which the pay path makes several times faster than by spreading.
export function sentEntry(entry: Entry, attempts: number, sentAtMs: number, channel: Channel, session: TakingSession | null): SentEntry {
  return {
    uuid: entry.uuid,
    kind: entry.kind,
    service: entry.service,
    sender: entry.sender,
    acceptedAtMs: entry.acceptedAtMs,
    expiresAtMs: entry.expiresAtMs,
    attempts,
    sentAtMs,
    channel,
    unknownAtMs: sentAtMs + unknownAfterMs(entry.kind),
    session: session === null ? null : session.id,
    redeliverable: session?.redeliver === true,
    held: false,
    refusedBy: null,
    awaitingAck: session?.acknowledges === true,
    cancels: entry.cancels,
    cancelRequested: false,
    byAny: entry.byAny,
  };
}

export function queuedEntry(entry: Omit<QueuedEntry, "attempts" | "refusedBy">, attempts = 0): QueuedEntry {
  const { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, cancels, byAny } = entry;
  return { uuid, kind, service, sender, acceptedAtMs, expiresAtMs, attempts, refusedBy: null, cancels, byAny };
}

/** As no session has it. */
export function heldEntry(entry: SentEntry, changes: Pick<SentEntry, "attempts" | "refusedBy">): SentEntry {
  return { ...entry, session: null, awaitingAck: false, held: true, ...changes };
}

export function resentEntry(entry: SentEntry, session: string, atMs: number): SentEntry {
  return {
    ...entry,
    attempts: entry.attempts + 1,
    sentAtMs: atMs,
    channel: "websocket",
    unknownAtMs: atMs + unknownAfterMs(entry.kind),
    session,
    refusedBy: null,
    awaitingAck: true,
  };
}

export function pauseOf({ session, atMs }: Extract<TerminalEvent, { type: "command.refused" }>): NonNullable<Entry["refusedBy"]> {
  return { session, untilMs: atMs + NACK_PAUSE_MS };
}

export function finishedParams({ uuid, kind, attempts, acceptedAtMs }: Entry, state: Finished["state"], atMs: number): Finished {
  return { uuid, state, atMs: notBefore(atMs, acceptedAtMs), sentAtMs: null, channel: null, attempts, kind };
}

export function finishedSentParams(entry: SentEntry, state: Finished["state"], atMs: number): Finished {
  const { uuid, kind, attempts, channel } = entry;
  const sentAtMs = notBefore(entry.sentAtMs, entry.acceptedAtMs);
  return { uuid, state, atMs: notBefore(atMs, sentAtMs), sentAtMs, channel, attempts, kind };
}
