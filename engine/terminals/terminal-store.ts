import { uuidKey } from "../kernel/identifiers.ts";
import {
  available,
  type Commit,
  type CommitResult,
  CommitTooLate,
  type Entry,
  type Kv,
  type Operation,
  prefixRange,
  unavailable,
} from "../kernel/kv.ts";
import { readBareRecord } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { ATTENTION, type AttentionItem, attentionKey, attentionOperation } from "../payments/attention.ts";
import type { TerminalRow } from "../payments/feed-row.ts";
import { outboxOperation } from "../payments/outbox.ts";
import { stateOf } from "./rules.ts";
import type { CommandRecord, TerminalRecord } from "./terminal-record.ts";
import { readCommand, readTerminal, writeCommand, writeTerminal } from "./terminal-records.ts";

/** One step of a terminal actor, stored as a whole or not at all. */
export interface TerminalChange {
  terminalId: string;
  /** The terminal's new record and the version that it replaces (0: there was none); null where the step changes none. */
  terminal: ChangedTerminal | null;
  /** Where the step changes none: the version that it was decided by. With another one the step may have come out otherwise, so it is `stale`. */
  decidedBy: Pick<ChangedTerminal, "version" | "historyLost"> | null;
  /** Commands accepted by this step; their uuids must be unclaimed, and no result that nobody asked for may lie under them at this terminal. */
  claims: readonly CommandRecord[];
  /** Commands whose life ended or that got a result; version 0 for an unsolicited result, of which its terminal must have none under the uuid yet. */
  commands: readonly Stored<CommandRecord>[];
  /** Rows for ClickHouse, written to the outbox in the same commit. */
  rows: readonly TerminalRow[];
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
  historyLost?: boolean;
}

/** `historyLost`: the store has lost acknowledged commits since this was written, and what it says waits may have been sent. */
export interface LoadedTerminal extends Stored<TerminalRecord> {
  historyLost: boolean;
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
  /** `stale`, too, for a terminal whose history was lost since it was loaded. */
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

const TERMINALS = "t/";

/**
 * Commands by uuid, and behind that of a uuid the results under it that nobody asked for, one a terminal: most keys that are asked for here are new.
 */
export const COMMANDS = "c/";

/** Between a uuid and a terminal id; neither has one. */
const OF_TERMINAL = "/";

const OUTSTANDING = "q/";

/** Commands to which an answer came that could not be read: when it first did. */
const UNREADABLE_ANSWERS = "an/";

/** Postings of one terminal that could not be read; beyond it the oldest go. The same text again is kept once. */
const UNREADABLE_MAX = 64;

/** Terminals that posted a result which nobody asked for under one uuid, of which a look-up by the uuid alone knows. A uuid is nobody's but one terminal's. */
const UNSOLICITED_MAX = 64;

export interface TerminalStoreOptions {
  kv: Kv;
  nowMs(): number;
  /** How long an ended command keeps its uuid refused and its result askable. */
  retentionMs: number;
  /** `KvHistory.lostVersion`; absent where nothing was ever lost. */
  lostVersion?(): number;
  /** Unique among all writers (shards of all nodes and restarts); part of the outbox keys. */
  writer: string;
  /** A commit put rows into the outbox. */
  onOutboxWrite?(): void;
  /** Another version had moved on. */
  conflicted?(): void;
}

/**
 * Terminals and commands on the key-value store: `t/<terminalId>`, `c/<uuid>`, `c/<uuid>/<terminalId>` (unsolicited results), `a/<kind>/<terminalId>/<uuid>`,
 * `an/<uuid>`, `q/<terminalId>`, outbox rows.
 */
export function createTerminalStore({
  kv,
  nowMs,
  retentionMs,
  lostVersion = () => 0,
  writer,
  onOutboxWrite,
  conflicted,
}: TerminalStoreOptions): TerminalStore {
  let rowsWritten = 0;

  /** Keys are put together once: as the same string, they are flattened and hashed once for the check and the operation. */
  function commitOf(change: TerminalChange): Commit {
    const checks: { key: string; version: number }[] = [];
    const operations: Operation[] = [];
    if (change.terminal !== null) {
      const { record, version, workBefore } = change.terminal;
      const key = TERMINALS + change.terminalId;
      checks.push({ key, version });
      operations.push({ type: "put", key, value: writeTerminal(record) });
      const work = stateOf(record);
      if (work !== workBefore) operations.push(outstandingOperation(change.terminalId, work));
    } else if (change.decidedBy !== null) {
      checks.push({ key: TERMINALS + change.terminalId, version: change.decidedBy.version });
    }
    for (const record of change.claims) {
      const operation = commandOperation(record);
      checks.push({ key: COMMANDS + unsolicitedPlace(record), version: 0 });
      if (isWrittenOtherwise(record)) checks.push({ key: COMMANDS + record.uuid, version: 0 });
      // Last: it is written next, and hashed for both at once.
      checks.push({ key: operation.key, version: 0 });
      operations.push(operation);
    }
    for (const { record, version } of change.commands) {
      const operation = commandOperation(
        version === 0 && record.command === null ? { ...record, place: unsolicitedPlace(record) } : record,
      );
      checks.push({ key: operation.key, version });
      operations.push(operation);
    }
    for (const row of change.rows) {
      rowsWritten += 1;
      operations.push(outboxOperation(row, change.atMs, `${writer}-${rowsWritten.toString(36)}`));
    }
    for (const item of change.attention) operations.push(attentionOperation(item));
    for (const item of change.settled) operations.push({ type: "delete", key: attentionKey(item.kind, item.terminalId, item.uuid ?? "") });
    return change.withinMs === undefined ? { checks, operations } : { checks, operations, withinMs: change.withinMs };
  }

  /** An ended command is kept for the retention; one that has not ended stays until it has. */
  function commandOperation(record: CommandRecord): Operation {
    const put = { type: "put", key: COMMANDS + (record.place ?? uuidKey(record.uuid)), value: writeCommand(record) } as const;
    return record.life === null ? put : { ...put, expiresAtMs: record.life.finishedAtMs + retentionMs };
  }

  /** Keeps it in the place of the oldest unreadable postings of the terminal; nothing where the same is kept already. */
  async function inPlaceOfOldest(item: AttentionItem): Promise<Operation[]> {
    const entries = await kv.scan({ ...prefixRange(attentionKey(item.kind, item.terminalId, "")), limit: 2 * UNREADABLE_MAX });
    const kept = attentionOperation(item);
    if (entries.some(({ key }) => key === kept.key)) return [];
    const byAge = entries
      .map(({ key, value }) => ({ key, atMs: Number(JSON.parse(value).atMs) }))
      .sort((one, other) => other.atMs - one.atMs);
    return [kept, ...byAge.slice(UNREADABLE_MAX - 1).map(({ key }) => ({ type: "delete", key }) as const)];
  }

  async function notedAnswers(uuids: readonly string[], atMs: number): Promise<Operation[]> {
    const keys = uuids.map((uuid) => UNREADABLE_ANSWERS + uuidKey(uuid));
    const noted = await kv.getMany(keys);
    return keys
      .filter((_, index) => noted[index] === null)
      .map((key) => ({ type: "put", key, value: String(atMs), expiresAtMs: atMs + retentionMs }));
  }

  function stale(): ChangeOutcome {
    conflicted?.();
    return { type: "stale" };
  }

  function outcomeOf(change: TerminalChange, result: CommitResult): ChangeOutcome {
    if (result.type === "committed") {
      if (change.rows.length > 0) onOutboxWrite?.();
      return result;
    }
    const claimed = change.claims.find((record) => standsInTheWay(result.key, record));
    return claimed === undefined ? stale() : { type: "claimed", uuid: claimed.uuid };
  }

  function loadCommand(uuid: string): Promise<Stored<CommandRecord> | null> {
    const key = uuidKey(uuid);
    const found = kv.get(COMMANDS + key).then(commandOf, unavailable);
    return key === uuid ? found : found.then((stored) => stored ?? kv.get(COMMANDS + uuid).then(commandOf, unavailable));
  }

  return {
    loadTerminal: (terminalId) =>
      kv.get(TERMINALS + terminalId).then((entry) => {
        if (entry === null) return null;
        return { record: readTerminal(terminalId, entry.value), version: entry.version, historyLost: entry.version <= lostVersion() };
      }, unavailable),
    loadCommand,
    loadCommandAt: (terminalId, uuid) =>
      loadCommand(uuid).then((found) => {
        if (found !== null && found.record.terminalId === terminalId) return found;
        return kv.get(COMMANDS + unsolicitedPlace({ uuid, terminalId })).then((entry) => {
          if (entry !== null) return commandOf(entry);
          // From before: one that nobody asked for, at another terminal, is nothing to this one.
          return found === null || found.record.command === null ? null : found;
        }, unavailable);
      }),
    loadUnsolicited: (uuid) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(COMMANDS + uuidKey(uuid) + OF_TERMINAL), limit: UNSOLICITED_MAX });
        return entries.map(readCommandEntry);
      }),
    commit: (change) => {
      const decidedBy = change.terminal ?? change.decidedBy;
      if (decidedBy !== null && decidedBy.version > 0 && decidedBy.historyLost !== true) {
        if (decidedBy.version <= lostVersion()) return Promise.resolve(stale());
      }
      return kv.commit(commitOf(change)).then((result) => outcomeOf(change, result), lateOrUnavailable);
    },
    pageOutstanding: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(OUTSTANDING);
        const entries = await kv.scan({ from: after === "" ? OUTSTANDING : `${OUTSTANDING}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => ({ terminalId: key.slice(OUTSTANDING.length), waits: value === "1" }));
      }),
    keepUnreadable: (item, uuids) =>
      available(async () => {
        const atMs = nowMs();
        const operations = [...(await inPlaceOfOldest({ ...item, atMs })), ...(await notedAnswers(uuids, atMs))];
        if (operations.length > 0) await kv.commit({ checks: [], operations });
      }),
    unreadableAnswerAtMs: (uuid) =>
      kv.get(UNREADABLE_ANSWERS + uuidKey(uuid)).then((entry) => (entry === null ? null : Number(entry.value)), unavailable),
    pageAttention: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(ATTENTION);
        const entries = await kv.scan({ from: after === "" ? ATTENTION : `${ATTENTION}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => ({
          id: key.slice(ATTENTION.length),
          item: readBareRecord<AttentionItem>("attention", key, value),
        }));
      }),
  };
}

function outstandingOperation(terminalId: string, work: Work): Operation {
  const key = OUTSTANDING + terminalId;
  return work === "idle" ? { type: "delete", key } : { type: "put", key, value: work === "waiting" ? "1" : "0" };
}

/**
 * Whether a new command's uuid is taken by what lies under this key: by another command, by a result that nobody asked for at the same terminal, or as its
 * sender writes it, where uuids in capitals from before lie.
 */
function standsInTheWay(key: string, record: CommandRecord): boolean {
  const place = key.slice(COMMANDS.length);
  return key.startsWith(COMMANDS) && [uuidKey(record.uuid), unsolicitedPlace(record), record.uuid].includes(place);
}

function isWrittenOtherwise({ uuid }: CommandRecord): boolean {
  return uuidKey(uuid) !== uuid;
}

/** Where a result that nobody asked for lies: it claims its uuid at its terminal alone. */
function unsolicitedPlace({ uuid, terminalId }: Pick<CommandRecord, "uuid" | "terminalId">): string {
  return uuidKey(uuid) + OF_TERMINAL + terminalId;
}

function commandOf(entry: Entry | null): Stored<CommandRecord> | null {
  return entry === null ? null : { record: readCommandEntry(entry), version: entry.version };
}

/** The record of a command, or of a result that nobody asked for. Throws where this version cannot read it. */
export function readCommandEntry({ key, value }: Pick<Entry, "key" | "value">): CommandRecord {
  const place = key.slice(COMMANDS.length);
  const end = place.indexOf(OF_TERMINAL);
  const record = readCommand(end === -1 ? place : place.slice(0, end), value);
  return uuidKey(record.uuid) === place ? record : { ...record, place };
}

function lateOrUnavailable(error: unknown): ChangeOutcome {
  if (error instanceof CommitTooLate) return { type: "late" };
  return unavailable(error);
}
