import { stateOf } from "../../engine/actors/terminal/rules.ts";
import type { AttentionItem } from "../../engine/domain/attention.ts";
import { RelayError } from "../../engine/domain/errors.ts";
import type { CommandRecord } from "../../engine/domain/terminal-record.ts";
import type { ChangeOutcome, Stored, TerminalChange, TerminalStore, Work } from "../../engine/ports/terminal-store.ts";
import { hashOf } from "../../engine/runtime/hash.ts";
import { outboxOperation } from "../feed/outbox.ts";
import {
  type Commit,
  type CommitResult,
  CommitTooLate,
  type Entry,
  type Kv,
  type Operation,
  prefixRange,
  StorageUnavailable,
} from "../kv/kv.ts";
import { readCommand, readTerminal, writeCommand, writeTerminal } from "./terminal-records.ts";

const TERMINALS = "t/";
/** Commands by uuid: most keys that are asked for here are new. */
export const COMMANDS = "c/";
const ATTENTION = "a/";
const OUTSTANDING = "q/";

/** Postings of one terminal that could not be read; beyond it the oldest go. The same text again is kept once. */
const UNREADABLE_MAX = 64;

/** What operators have not looked at for this long is old news. */
const ATTENTION_LIFETIME_MS = 90 * 86_400_000;

const ATTENTION_RAW_CHARS_MAX = 4_096;

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
  fed?(): void;
  /** Another version had moved on. */
  conflicted?(): void;
}

/** Terminals and commands on the key-value store: `t/<terminalId>`, `c/<uuid>`, `a/<kind>/<terminalId>/<uuid>`, `q/<terminalId>`, outbox rows. */
export function createTerminalStore({
  kv,
  nowMs,
  retentionMs,
  lostVersion = () => 0,
  writer,
  fed,
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
      checks.push({ key: operation.key, version: 0 });
      operations.push(operation);
    }
    for (const { record, version } of change.commands) {
      const operation = commandOperation(record);
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
    const put = { type: "put", key: COMMANDS + record.uuid, value: writeCommand(record) } as const;
    return record.life === null ? put : { ...put, expiresAtMs: record.life.finishedAtMs + retentionMs };
  }

  /** The oldest unreadable postings of the terminal that have to make room for this one. */
  async function surplus(item: AttentionItem): Promise<Operation[]> {
    const entries = await kv.scan({ ...prefixRange(attentionKey(item.kind, item.terminalId, "")), limit: 2 * UNREADABLE_MAX });
    const byAge = entries
      .filter(({ key }) => key !== attentionOperation(item).key)
      .map(({ key, value }) => ({ key, atMs: Number(JSON.parse(value).atMs) }))
      .sort((one, other) => other.atMs - one.atMs);
    return byAge.slice(UNREADABLE_MAX - 1).map(({ key }) => ({ type: "delete", key }));
  }

  function stale(): ChangeOutcome {
    conflicted?.();
    return { type: "stale" };
  }

  function outcomeOf(change: TerminalChange, result: CommitResult): ChangeOutcome {
    if (result.type === "committed") {
      if (change.rows.length > 0) fed?.();
      return result;
    }
    const claimed = change.claims.find(({ uuid }) => result.key === COMMANDS + uuid);
    return claimed === undefined ? stale() : { type: "claimed", uuid: claimed.uuid };
  }

  return {
    loadTerminal: (terminalId) =>
      kv.get(TERMINALS + terminalId).then((entry) => {
        if (entry === null) return null;
        return { record: readTerminal(terminalId, entry.value), version: entry.version, doubted: entry.version <= lostVersion() };
      }, unavailable),
    loadCommand: (uuid) => kv.get(COMMANDS + uuid).then((entry) => commandOf(uuid, entry), unavailable),
    commit: (change) => {
      const decidedBy = change.terminal ?? change.decidedBy;
      if (decidedBy !== null && decidedBy.version > 0 && decidedBy.doubted !== true) {
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
    keepAttention: (item) =>
      available(async () => {
        const kept = { ...item, atMs: nowMs() };
        const older = item.kind === "unreadable" ? await surplus(kept) : [];
        await kv.commit({ checks: [], operations: [attentionOperation(kept), ...older] });
      }),
    pageAttention: (after, limit) =>
      available(async () => {
        const { to } = prefixRange(ATTENTION);
        const entries = await kv.scan({ from: after === "" ? ATTENTION : `${ATTENTION}${after}\u0001`, to, limit });
        return entries.map(({ key, value }) => ({ id: key.slice(ATTENTION.length), item: JSON.parse(value) }));
      }),
  };
}

function outstandingOperation(terminalId: string, work: Work): Operation {
  const key = OUTSTANDING + terminalId;
  return work === "idle" ? { type: "delete", key } : { type: "put", key, value: work === "waiting" ? "1" : "0" };
}

export function attentionKey(kind: AttentionItem["kind"], terminalId: string, place: string): string {
  return `${ATTENTION}${kind}/${terminalId}/${place}`;
}

export function attentionOperation(item: AttentionItem): Operation {
  const raw = item.raw === null ? null : item.raw.slice(0, ATTENTION_RAW_CHARS_MAX);
  const place = item.kind === "unreadable" ? hashOf(raw ?? "").toString(16) : (item.uuid ?? "");
  return {
    type: "put",
    key: attentionKey(item.kind, item.terminalId, place),
    value: JSON.stringify({ ...item, raw }),
    expiresAtMs: item.atMs + ATTENTION_LIFETIME_MS,
  };
}

function commandOf(uuid: string, entry: Entry | null): Stored<CommandRecord> | null {
  return entry === null ? null : { record: readCommand(uuid, entry.value), version: entry.version };
}

/** Runs a store operation; what the store cannot answer becomes RelayError `unavailable`. */
export async function available<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    return unavailable(error);
  }
}

function lateOrUnavailable(error: unknown): ChangeOutcome {
  if (error instanceof CommitTooLate) return { type: "late" };
  return unavailable(error);
}

function unavailable(error: unknown): never {
  throw relayError(error);
}

function relayError(error: unknown): unknown {
  if (!(error instanceof StorageUnavailable)) return error;
  return new RelayError("unavailable", "The store cannot confirm this now; ask again with the same uuid", {
    cause: error,
    retryAfterSeconds: 1,
  });
}
