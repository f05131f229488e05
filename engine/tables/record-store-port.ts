/**
 * Small administered records of one kind, by key, in parts (engine/tables/replicated-table.ts). Rejects with RelayError `unavailable` when the store cannot
 * answer.
 */
export interface RecordStore<R> {
  readonly table: string;
  readonly parts: number;
  load(part: number): Promise<ReadonlyMap<string, { record: R; version: number }>>;
  /** Creates or replaces; the latest write wins. */
  save(key: string, record: R): Promise<void>;
  /**
   * Stores what `work` makes of the record as it stands (undefined: there is none) and resolves with it; again where others changed it meanwhile, so that
   * no change is lost. What `work` throws is passed on, and nothing stored.
   */
  change(key: string, work: (before: R | undefined) => R): Promise<R>;
  remove(key: string): Promise<void>;
}
