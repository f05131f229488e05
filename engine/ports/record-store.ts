/**
 * Small administered records of one kind, by key, in parts (engine/runtime/tables.ts). The latest write wins. Rejects with RelayError `unavailable`
 * when the store cannot answer.
 */
export interface RecordStore<R> {
  readonly table: string;
  readonly parts: number;
  load(part: number): Promise<ReadonlyMap<string, { record: R; version: number }>>;
  save(key: string, record: R): Promise<void>;
  remove(key: string): Promise<void>;
}
