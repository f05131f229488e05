/** A stored record, and its version, which a change has to state. */
export interface Stored<T> {
  record: T;
  version: number;
}
