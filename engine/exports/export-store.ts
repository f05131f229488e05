import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { type IndexPage, listPrefix, type Place, pageOfIndex, placeKey } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import type { ExportRecord } from "./export.ts";

/**
 * The use of a merchant's limits in one environment. The commits that change exports also change
 * it.
 */
export interface ExportRoom {
  readonly schema: 1;
  /** Ids of exports that are queued or running. */
  readonly underWay: readonly string[];
  /** Number of exports in any state. */
  readonly kept: number;
  /** Size of all files. */
  readonly bytes: number;
}

const NO_ROOM_TAKEN: ExportRoom = { schema: 1, underWay: [], kept: 0, bytes: 0 };

export interface ExportChange {
  /** Null if the export is removed. */
  readonly after: ExportRecord | null;
  readonly before: ExportRecord | null;
  /** The version of `before`; 0 if it is null. */
  readonly version: number;
  /** The new use, if it changes, with the version of the previous one. */
  readonly room?: Stored<ExportRoom>;
}

/**
 * Stores exports. Every method rejects with RelayError `unavailable` when the store cannot answer.
 * The outcome of a failed commit is unknown.
 */
export interface ExportStore extends DueIndex {
  load(id: string): Promise<Stored<ExportRecord> | null>;
  room(list: MerchantScope): Promise<Stored<ExportRoom>>;
  /** Resolves with the new version, or with null on a conflict. */
  commit(change: ExportChange): Promise<number | null>;
  /** The newest exports come first. */
  page(
    list: MerchantScope,
    query: { readonly limit: number; readonly after: Place | null; matches(record: ExportRecord): boolean },
  ): Promise<IndexPage<ExportRecord>>;
  /** Names of the files of all exports, for cleaning up. */
  files(): Promise<ReadonlySet<string>>;
}

const EXPORTS = "export/";
const BY_TIME = "export-of/";
const ROOM = "export-room/";
const DUE = "due/export/";

/** Requests supply ids without any check. */
const ID = /^exp_[a-z0-9]{24}$/;

const SCAN_PAGE = 1_000;

/**
 * Stores exports under `export/<id>`, their deadlines under `due/export/...`, their ids by time
 * under `export-of/<merchant>/<live or test>/<13 digits of milliseconds>/<id>`, and a merchant's
 * use of the limits under `export-room/<merchant>/<live or test>/`.
 */
export function createExportStore(kv: Kv): ExportStore {
  async function load(id: string): Promise<Stored<ExportRecord> | null> {
    const entry = ID.test(id) ? await kv.get(EXPORTS + id) : null;
    return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
  }

  async function loadAll(ids: readonly string[]): Promise<ExportRecord[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => EXPORTS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  async function commit({ after, before, version, room }: ExportChange): Promise<number | null> {
    const record = after ?? before;
    if (record === null) throw new Error("a change without an export");
    const { id, createdAtMs } = record;
    const listed = placeKey(listPrefix(BY_TIME, record), { atMs: createdAtMs, id });
    const roomKey = listPrefix(ROOM, record);
    const operations: Operation[] =
      after === null
        ? [
            { type: "delete", key: EXPORTS + id },
            { type: "delete", key: listed },
          ]
        : [
            { type: "put", key: EXPORTS + id, value: recordText("export", after) },
            ...(before === null ? [{ type: "put", key: listed, value: id } as const] : []),
          ];
    const result = await kv.commit({
      checks: [{ key: EXPORTS + id, version }, ...(room === undefined ? [] : [{ key: roomKey, version: room.version }])],
      operations: [
        ...operations,
        ...dueOperations(DUE, id, before?.nextAtMs ?? null, after?.nextAtMs ?? null),
        ...(room === undefined ? [] : [{ type: "put", key: roomKey, value: recordText("exportRoom", room.record) } as const]),
      ],
    });
    return result.type === "committed" ? result.version : null;
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) => available(() => load(id)),
    room: (list) =>
      available(async () => {
        const entry = await kv.get(listPrefix(ROOM, list));
        if (entry === null) return { record: NO_ROOM_TAKEN, version: 0 };
        return { record: readRecord("exportRoom", "what a merchant's exports take", entry.value), version: entry.version };
      }),
    commit: (change) => available(() => commit(change)),
    page: (list, { limit, after, matches }) =>
      available(() =>
        pageOfIndex(
          kv,
          listPrefix(BY_TIME, list),
          { limit, after, fromMs: null, beforeMs: null, order: "newest" },
          { load: loadAll, matches },
        ),
      ),
    files: () =>
      available(async () => {
        const names = new Set<string>();
        for (let from = EXPORTS; ; ) {
          const entries = await kv.scan({ from, to: `${EXPORTS}\u{7f}`, limit: SCAN_PAGE });
          for (const { value } of entries) {
            const { file } = recordOf(value);
            if (file !== null) names.add(file);
          }
          const last = entries.at(-1);
          if (last === undefined || entries.length < SCAN_PAGE) return names;
          from = `${last.key}\u0001`;
        }
      }),
  };
}

function recordOf(text: string): ExportRecord {
  return readRecord("export", "an export", text);
}
