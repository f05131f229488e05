export interface Ids {
  /** Returns a random UUID v4. */
  uuid(): string;
}
