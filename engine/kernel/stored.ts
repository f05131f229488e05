/** A stored record and the version that a change has to name. */
export interface Stored<T> {
  record: T;
  version: number;
}
