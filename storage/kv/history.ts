/**
 * The version history of a store, and how to record that it was taken back to an earlier copy. It complements `Kv` for the start of a node.
 * Versions are derived from wall time, so they say when they were given; none is given twice.
 */
export interface KvHistory {
  /** Versions per millisecond of wall time. */
  readonly versionsPerMs: number;
  /** The highest version that is on stable storage; 0 for a store that was never written. */
  lastVersion(): Promise<number>;
  /**
   * Entries with this version or an earlier one were written before acknowledged commits were lost, so they may not be the latest for their
   * keys; 0 if nothing was ever lost.
   */
  lostVersion(): number;
  /**
   * Records that acknowledged commits since `lostVersion` are lost and that versions up to `aboveVersion` were given; later versions are
   * greater. The record is on stable storage when this resolves. Earlier losses stay recorded.
   */
  lose(lostVersion: number, aboveVersion: number): Promise<void>;
}
