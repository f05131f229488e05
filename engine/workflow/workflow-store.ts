import type { CommitPart } from "../kernel/commit-part.ts";
import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { type IndexPage, type IndexQuery, type Place, pageOfIndex, placeIn, placeKey } from "../kernel/merchant-index-store.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { timeDigits } from "../kernel/time-digits.ts";
import { objectRowOperations } from "../payments/outbox.ts";
import type { TimedEvent, Transition, WorkflowDefinition, WorkflowRecord } from "./workflow.ts";

/** A transition with everything that is stored with it; `version` is that of the record before, 0 for a new one. */
export interface WorkflowCommit<R> extends Transition<R> {
  readonly version: number;
  readonly part: CommitPart;
}

/**
 * The records of a workflow. Every method rejects with RelayError `unavailable` when the store cannot answer; after a failed commit
 * it is not known whether it happened.
 */
export interface WorkflowStore<R> extends DueIndex {
  load(id: string): Promise<Stored<R> | null>;
  /** The new version; null if the record or a checked key has another version by now. */
  commit(commit: WorkflowCommit<R>): Promise<number | null>;
  /** A page of an index. `prefix` is the index and the path. */
  page(prefix: string, query: IndexQuery, matches: (record: R) => boolean): Promise<IndexPage<R>>;
  /** The records of the first entries under a prefix, at most `limit`. */
  under(prefix: string, limit: number): Promise<readonly R[]>;
  /** The newest entries of an index by time from `fromMs` on, at most `limit` (10,000): their places and values. */
  entries(prefix: string, fromMs: number, limit: number): Promise<readonly { readonly place: Place; readonly value: string }[]>;
}

export function createWorkflowStore<R extends WorkflowRecord, E extends TimedEvent, F extends { readonly type: string }, Outcome>(
  kv: Kv,
  definition: WorkflowDefinition<R, E, F, Outcome>,
  retentionMs: number,
): WorkflowStore<R> {
  const { kind, label, idPattern, keyPrefix, indexes, deadlines, expiresAtMs, reportRows } = definition;

  async function load(id: string): Promise<Stored<R> | null> {
    const entry = idPattern.test(id) ? await kv.get(keyPrefix + id) : null;
    return entry === null ? null : { record: readRecord<R>(kind, label, entry.value), version: entry.version };
  }

  async function loadAll(ids: readonly string[]): Promise<R[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => keyPrefix + id));
    return entries.flatMap((entry) => (entry === null ? [] : [readRecord<R>(kind, label, entry.value)]));
  }

  function indexEntries(record: R): { readonly key: string; readonly value: string }[] {
    return indexes.flatMap(({ prefix, path, atMs, value }) => {
      const under = path(record);
      if (under === null) return [];
      const { id } = record;
      const key = atMs === undefined ? prefix + under + id : placeKey(prefix + under, { atMs: atMs(record), id });
      return [{ key, value: value === undefined ? id : value(record) }];
    });
  }

  async function commit({ before, record, version, part, atMs }: WorkflowCommit<R>): Promise<number | null> {
    const key = keyPrefix + record.id;
    const untilMs = expiresAtMs({ before, record, atMs }, retentionMs);
    const entries = indexEntries(record);
    const kept = new Set(entries.map((entry) => entry.key));
    const stale = before === null ? [] : indexEntries(before).filter((entry) => !kept.has(entry.key));
    const result = await kv.commit({
      checks: [{ key, version }, ...part.checks],
      operations: [
        { type: "put", key, value: recordText(kind, record), expiresAtMs: untilMs },
        ...entries.map((entry): Operation => ({ type: "put", ...entry, expiresAtMs: untilMs })),
        ...stale.map((entry): Operation => ({ type: "delete", key: entry.key })),
        ...dueOperations(deadlines.prefix, record.id, before?.nextAtMs ?? null, record.nextAtMs),
        ...objectRowOperations(before === null ? [] : reportRows(before), reportRows(record), atMs),
        ...part.operations,
      ],
    });
    return result.type === "committed" ? result.version : null;
  }

  return {
    ...createDueIndex(kv, deadlines.prefix),
    load: (id) => available(() => load(id)),
    commit: (given) => available(() => commit(given)),
    page: (prefix, query, matches) => available(() => pageOfIndex(kv, prefix, query, { load: loadAll, matches })),
    under: (prefix, limit) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(prefix), limit });
        return loadAll(entries.map(({ value }) => value));
      }),
    entries: (prefix, fromMs, limit) =>
      available(async () => {
        const entries = await kv.scan({ from: prefix + timeDigits(fromMs), to: prefixRange(prefix).to, limit, reverse: true });
        return entries.map(({ key, value }) => ({ place: placeIn(key, prefix), value }));
      }),
  };
}
