export interface Ids {
  /** A random UUID v4. */
  uuid(): string;
}
