import type { Channel, CommandKind, CommandState } from "../payments/command.ts";
import type { TransactionStatus } from "../payments/transaction.ts";
import type { LatestEntry, QueuedEntry, SentEntry } from "./terminal-record.ts";

/**
 * What is stored of a terminal: what waits for it, what was sent to it and awaits its result, and whose command was the latest. A step of it is pure
 * (step-terminal.ts): time comes with the events, effects are data, carried out by the runtime once the step is stored.
 */
export interface TerminalContext {
  queue: readonly QueuedEntry[];
  sent: readonly SentEntry[];
  latest: readonly LatestEntry[];
}

/** Waiting: at least one command waits. Executing: none waits, and at least one result is awaited. */
export type TerminalState = "idle" | "waiting" | "executing";

export type TerminalEvent =
  /** A new command; the runtime has made sure that the uuid is not claimed, and commits the claim with this step. */
  | { type: "command.accepted"; atMs: number; entry: NewEntry }
  /** Somebody who holds the terminal's ear asks for the oldest command: a poll, or a session with room. */
  | { type: "command.taken"; atMs: number; channel: Channel; session: TakingSession | null }
  /** A session that declares that it remembers uuids gets the oldest command that is held for such a one. */
  | { type: "command.redelivered"; atMs: number; session: TakingSession }
  /** It certainly did not leave: back to where it was, before everything that was accepted later. A poll (`session` null) is named by when it took. */
  | { type: "command.undelivered"; atMs: number; uuid: string; session: string | null; sentAtMs: number | null }
  | { type: "command.acknowledged"; atMs: number; uuid: string; session: string }
  /** NACK: back to the head of the queue, or to what is held; not to the same session for a moment. */
  | { type: "command.refused"; atMs: number; uuid: string; session: string }
  /** A session ended, or did not survive a restart: what a redelivering client left unacknowledged is held. */
  | { type: "session.lost"; atMs: number; session: string }
  /**
   * A result was read. `unsolicited`: no command has this uuid. `cancels`: the uuid that its command, a CANCEL, wants cancelled; told here,
   * because the CANCEL's own entry may be gone when its answer comes late.
   */
  | { type: "result.recorded"; atMs: number; uuid: string; status: TransactionStatus; unsolicited: boolean; cancels: string | null }
  | { type: "cancel.requested"; atMs: number; uuid: string; cancel: NewEntry }
  | { type: "deadline.passed"; atMs: number };

export type NewEntry = Omit<QueuedEntry, "attempts" | "refusedBy">;

export interface TakingSession {
  id: string;
  acknowledges: boolean;
  redeliver: boolean;
}

/** A command ended. The runtime writes its life, and tells whoever waits for it. */
export interface Finished {
  uuid: string;
  state: Exclude<CommandState, "queued" | "sent">;
  atMs: number;
  sentAtMs: number | null;
  channel: Channel | null;
  attempts: number;
  kind: CommandKind;
}

/** The bound that has no place for a command: the terminal's own, that of one sender, or that of all senders together that only rule ANY admits. */
export type PlaceBound = "terminal" | "sender" | "any";

/** Nothing more may wait; `freeAtMs`: when a place is free at the latest, as far as that is known. */
export interface QueueFull {
  bound: PlaceBound;
  freeAtMs: number;
}

export type TerminalEffect =
  | { type: "accepted"; params: { uuid: string } }
  | { type: "refusedFull"; params: QueueFull & { uuid: string } }
  | { type: "deliver"; params: { uuid: string; attempt: number; expiresAtMs: number; channel: Channel; session: string | null } }
  | { type: "finished"; params: Finished }
  | { type: "cancelQueued"; params: { uuid: string; cancelUuid: string } };
