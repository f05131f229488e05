import type { Stored } from "../kernel/stored.ts";
import type { AttentionItem } from "../payments/attention.ts";
import type { FeedRow } from "../payments/feed-row.ts";
import type { CommandRecord, TerminalRecord } from "./terminal-record.ts";

/** One step of a terminal actor, stored as a whole or not at all. */
export interface TerminalChange {
  terminalId: string;
  /** The terminal's new record and the version that it replaces (0: there was none); null where the step changes none. */
  terminal: ChangedTerminal | null;
  /** Where the step changes none: the version that it was decided by. With another one the step may have come out otherwise, so it is `stale`. */
  decidedBy: Pick<ChangedTerminal, "version" | "doubted"> | null;
  /** Commands accepted by this step; their uuids must be unclaimed, and no result that nobody asked for may lie under them at this terminal. */
  claims: readonly CommandRecord[];
  /** Commands whose life ended or that got a result; version 0 for an unsolicited result, of which its terminal must have none under the uuid yet. */
  commands: readonly Stored<CommandRecord>[];
  /** Rows for ClickHouse, written to the outbox in the same commit. */
  rows: readonly FeedRow[];
  attention: readonly AttentionItem[];
  /** Items that no longer need anyone's attention. */
  settled: readonly Pick<AttentionItem, "kind" | "terminalId" | "uuid">[];
  atMs: number;
  /** Ms from the call on: later it must not be stored any more, since who waits for it has gone by then. Absent: whenever the store comes to it. */
  withinMs?: number | undefined;
}

/** A record, the version that it replaces, and what the replaced one had to do: the index of outstanding work changes with it. */
export interface ChangedTerminal extends Stored<TerminalRecord> {
  workBefore: Work;
  /** As it was loaded. */
  doubted?: boolean;
}

/** `doubted`: the store has lost acknowledged commits since this was written, and what it says waits may have been sent. */
export interface LoadedTerminal extends Stored<TerminalRecord> {
  doubted: boolean;
}

/** `waiting`: a command waits to go out; `executing`: only results are awaited; `idle`: neither. */
export type Work = "idle" | "waiting" | "executing";

/** A terminal with something to do, as the index has it. */
export interface Outstanding {
  terminalId: string;
  waits: boolean;
}

/** `claimed`: a claim's uuid is taken. `stale`: some other version has moved on; load again and step again. `late`: it came after `withinMs`, and is not stored. */
export type ChangeOutcome =
  | { type: "committed"; version: number }
  | { type: "claimed"; uuid: string }
  | { type: "stale" }
  | { type: "late" };

/**
 * Where terminals and commands are kept. Every method rejects with RelayError `unavailable` when the store cannot answer; after a
 * failed commit it is not known whether it happened, and the record has to be loaded again.
 */
export interface TerminalStore {
  loadTerminal(terminalId: string): Promise<LoadedTerminal | null>;
  /** The command of a uuid, whichever terminal's; before results that nobody asked for lay under their terminals they were found here, too. */
  loadCommand(uuid: string): Promise<Stored<CommandRecord> | null>;
  /**
   * What a uuid is at a terminal: its command, else a result there that nobody asked for, else another terminal's command. Null: nothing that
   * concerns it.
   */
  loadCommandAt(terminalId: string, uuid: string): Promise<Stored<CommandRecord> | null>;
  /** Results under a uuid that nobody asked for, by terminal; of the first 64. */
  loadUnsolicited(uuid: string): Promise<CommandRecord[]>;
  /** `stale`, too, for a terminal that has come to be doubted since it was loaded. */
  commit(change: TerminalChange): Promise<ChangeOutcome>;
  /** Terminals with outstanding commands, by id after `after`: to re-arm deadlines, and to find work that nobody told of. */
  pageOutstanding(after: string, limit: number): Promise<Outstanding[]>;
  /**
   * Keeps a posting that could not be read, for operators, and that an answer to these commands came. The same text of a terminal is kept once; of many the
   * oldest go.
   */
  keepUnreadable(item: AttentionItem, uuids: readonly string[]): Promise<void>;
  /** When an answer came to this command that could not be read, the first time; null where none did. */
  unreadableAnswerAtMs(uuid: string): Promise<number | null>;
  pageAttention(after: string, limit: number): Promise<{ id: string; item: AttentionItem }[]>;
}
