import type { TerminalContext, TerminalEvent } from "../../../engine/terminals/events.ts";
import type { LatestEntry, QueuedEntry, SentEntry } from "../../../engine/terminals/terminal-record.ts";

/** When the tables take place. */
export const NOW_MS = 1_700_000_000_000;

export function queued(uuid: string, changes: Partial<QueuedEntry> = {}): QueuedEntry {
  const entry: QueuedEntry = {
    uuid,
    kind: "payment",
    service: "PAYCC",
    sender: "partner:1",
    acceptedAtMs: NOW_MS - 1_000,
    expiresAtMs: NOW_MS + 59_000,
    attempts: 0,
    refusedBy: null,
    cancels: null,
    byAny: false,
  };
  return { ...entry, ...changes };
}

export function sent(uuid: string, changes: Partial<SentEntry> = {}): SentEntry {
  const entry: SentEntry = {
    uuid,
    kind: "payment",
    service: "PAYCC",
    sender: "partner:1",
    acceptedAtMs: NOW_MS - 1_000,
    expiresAtMs: NOW_MS + 59_000,
    attempts: 1,
    sentAtMs: NOW_MS - 500,
    channel: "websocket",
    unknownAtMs: NOW_MS + 299_500,
    session: "s1",
    redeliverable: false,
    held: false,
    refusedBy: null,
    awaitingAck: false,
    cancels: null,
    cancelRequested: false,
    byAny: false,
  };
  return { ...entry, ...changes };
}

/** One that a session of the terminal's own was lost with, and that no session has. */
export function held(uuid: string, changes: Partial<SentEntry> = {}): SentEntry {
  return sent(uuid, { held: true, redeliverable: true, session: null, ...changes });
}

/** A session comes for what is held. */
export function pushedAgain(id: string, redeliver: boolean, atMs = NOW_MS): TerminalEvent {
  return { type: "command.redelivered", atMs, session: { id, acknowledges: true, redeliver } };
}

export function latest(uuid: string, answered: boolean, sender = "partner:1"): LatestEntry {
  return { sender, uuid, answered };
}

export function context(parts: Partial<TerminalContext> = {}): TerminalContext {
  return { queue: [], sent: [], latest: [], ...parts };
}

export function accepted(uuid: string, changes: Partial<QueuedEntry> = {}, atMs = NOW_MS): TerminalEvent {
  const whole = queued(uuid, { acceptedAtMs: atMs, expiresAtMs: atMs + 60_000, ...changes });
  const { attempts: _attempts, refusedBy: _refusedBy, ...entry } = whole;
  return { type: "command.accepted", atMs, entry };
}

export function polled(atMs = NOW_MS): TerminalEvent {
  return { type: "command.taken", atMs, channel: "poll", session: null };
}

export function pushed(id: string, does: { acknowledges?: boolean; redeliver?: boolean } = {}, atMs = NOW_MS): TerminalEvent {
  const session = { id, acknowledges: does.acknowledges ?? false, redeliver: does.redeliver ?? false };
  return { type: "command.taken", atMs, channel: "websocket", session };
}

export function resulted(uuid: string, changes: { status?: "OK" | "KO"; unsolicited?: boolean; cancels?: string } = {}): TerminalEvent {
  const { status = "OK", unsolicited = false, cancels = null } = changes;
  return { type: "result.recorded", atMs: NOW_MS, uuid, status, unsolicited, cancels };
}

export function cancelRequested(uuid: string, cancelUuid: string): TerminalEvent {
  const {
    attempts: _attempts,
    refusedBy: _refusedBy,
    ...cancel
  } = queued(cancelUuid, { kind: "cancel", service: "CANCEL", cancels: uuid });
  return { type: "cancel.requested", atMs: NOW_MS, uuid, cancel };
}
