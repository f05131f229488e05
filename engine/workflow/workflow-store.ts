import type { CommitPart } from "../kernel/commit-part.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type CommitResult, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { type IndexPage, type IndexQuery, type Place, pageOfIndex, placeIn, placeKey } from "../kernel/merchant-index-store.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import type { TimedEvent, Transition, WorkflowDefinition, WorkflowRecord } from "./workflow.ts";

/** `version` is the version of `before`, 0 for a new record. */
export interface WorkflowCommit<R> extends Transition<R> {
  readonly version: number;
  readonly part: CommitPart;
}

/**
 * Every method rejects with RelayError `unavailable` when the store cannot answer. After a failed
 * commit it is unknown whether the commit happened.
 */
export interface WorkflowStore<R> extends DueIndex {
  load(id: string): Promise<Stored<R> | null>;
  commit(commit: WorkflowCommit<R>): Promise<CommitResult>;
  /** Returns what `commit` would store, for the commit of another record. */
  part(commit: WorkflowCommit<R>): CommitPart;
  /** Returns the record of an entry of an exact index. */
  exact(key: string): Promise<Stored<R> | null>;
  /** `prefix` is the prefix of the index and the path. */
  page(prefix: string, query: IndexQuery, matches: (record: R) => boolean): Promise<IndexPage<R>>;
  /** Returns the records of the first or last entries under a prefix, at most `limit`. */
  under(prefix: string, limit: number, reverse?: boolean): Promise<readonly R[]>;
  /** Returns the first records whose ids begin with a text, at most `limit`, of all merchants. */
  beginning(idBeginning: string, limit: number): Promise<readonly R[]>;
  /** Counts the entries of an index by time from `fromMs` on, up to `limit`. */
  count(prefix: string, fromMs: number, limit: number): Promise<number>;
  firstAtMs(prefix: string, fromMs: number): Promise<number | null>;
  /** Returns the newest entries of an index by time, at most `limit` (10,000). */
  entries(prefix: string, fromMs: number, limit: number): Promise<readonly { readonly place: Place; readonly value: string }[]>;
}

export function createWorkflowStore<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  kv: Kv,
  definition: WorkflowDefinition<R, E, F, Outcome>,
  retentionMs: number,
): WorkflowStore<R> {
  const { kind, label, idPattern, keyPrefix, indexes, deadlines, expiresAtMs, renewIndexes, ownEntries, reportRows } = definition;
  const duePrefix = `due/${deadlines?.name ?? kind}/`;

  async function load(id: string): Promise<Stored<R> | null> {
    const entry = idPattern.test(id) ? await kv.get(keyPrefix + id) : null;
    return entry === null ? null : { record: readRecord<R>(kind, label, entry.value), version: entry.version };
  }

  async function loadAll(ids: readonly string[]): Promise<R[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => keyPrefix + id));
    return entries.flatMap((entry) => (entry === null ? [] : [readRecord<R>(kind, label, entry.value)]));
  }

  function indexEntries(record: R): { readonly key: string; readonly value: string }[] {
    return indexes.flatMap(({ prefix, path, exact, atMs, value }) => {
      const under = path(record);
      if (under === null) return [];
      const { id } = record;
      const place = exact === true ? "" : id;
      const key = atMs === undefined ? prefix + under + place : placeKey(prefix + under, { atMs: atMs(record), id });
      return [{ key, value: value === undefined ? id : value(record) }];
    });
  }

  function partOf({ before, record, version, part, atMs }: WorkflowCommit<R>): CommitPart {
    const transition = { before, record, atMs };
    const key = keyPrefix + record.id;
    const untilMs = expiresAtMs(transition, retentionMs);
    const until = untilMs === null ? {} : { expiresAtMs: untilMs };
    const entries = indexEntries(record);
    const known = new Map((before === null ? [] : indexEntries(before)).map((entry) => [entry.key, entry.value]));
    const isRenewed = renewIndexes?.(transition) !== false;
    const written = entries.filter((entry) => isRenewed || known.get(entry.key) !== entry.value);
    const kept = new Set(entries.map((entry) => entry.key));
    const stale = [...known.keys()].filter((one) => !kept.has(one));
    return {
      checks: [{ key, version }, ...part.checks],
      operations: [
        { type: "put", key, value: recordText(kind, record), ...until },
        ...written.map((entry): Operation => ({ type: "put", ...entry, ...until })),
        ...stale.map((one): Operation => ({ type: "delete", key: one })),
        ...(ownEntries?.(transition, untilMs, retentionMs) ?? []),
        ...dueOperations(duePrefix, record.id, before?.nextAtMs ?? null, record.nextAtMs ?? null),
        ...objectRowOperations(before === null ? [] : reportRows(before), reportRows(record), atMs),
        ...part.operations,
      ],
    };
  }

  return {
    ...createDueIndex(kv, duePrefix),
    load: (id) => available(() => load(id)),
    commit: (commit) => available(() => kv.commit(partOf(commit))),
    part: partOf,
    exact: (key) =>
      available(async () => {
        const entry = await kv.get(key);
        return entry === null ? null : load(entry.value);
      }),
    page: (prefix, query, matches) => available(() => pageOfIndex(kv, prefix, query, { load: loadAll, matches })),
    count: (prefix, fromMs, limit) => available(() => kv.count({ ...since(prefix, fromMs), limit })),
    firstAtMs: (prefix, fromMs) =>
      available(async () => {
        const [first] = await kv.scan({ ...since(prefix, fromMs), limit: 1 });
        return first === undefined ? null : placeIn(first.key, prefix).atMs;
      }),
    under: (prefix, limit, reverse = false) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(prefix), limit, reverse });
        return loadAll(entries.map(({ value }) => value));
      }),
    beginning: (idBeginning, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(keyPrefix + idBeginning), limit });
        return entries.map(({ value }) => readRecord<R>(kind, label, value));
      }),
    entries: (prefix, fromMs, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...since(prefix, fromMs), limit, reverse: true });
        return entries.map(({ key, value }) => ({ place: placeIn(key, prefix), value }));
      }),
  };
}

function since(prefix: string, fromMs: number): { readonly from: string; readonly to: string } {
  return { from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to };
}
