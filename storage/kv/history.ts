/**
 * How far a store is, and what it is told when it has been taken back to an earlier copy of itself; beside `Kv`, for whoever starts it. Versions are
 * wall times, so that they tell when they were given, and none is given twice.
 */
export interface KvHistory {
  /** Versions of a millisecond of wall time. */
  readonly versionsPerMs: number;
  /** The highest version ever given that is on stable storage; 0 of a store that was never written to. */
  lastVersion(): Promise<number>;
  /**
   * Entries of this version or an earlier one were written before acknowledged commits were lost, and may not be the last that was said of
   * their keys; 0 where nothing was ever lost.
   */
  lostVersion(): number;
  /**
   * Acknowledged commits since `lostVersion` are gone, and versions up to `aboveVersion` have been given: it goes on above them. On stable storage when
   * it resolves; what was lost before stays lost.
   */
  lose(lostVersion: number, aboveVersion: number): Promise<void>;
}
