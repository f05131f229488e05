/** Makes keys that nobody can guess, and what is kept of them. */
export interface ApiKeys {
  /** `prefix` and 256 random bits as base64url. */
  generate(prefix: string): string;
  /** SHA-256, hex: keys are long and random, so that a fast digest is as good as a slow one. */
  digest(key: string): string;
}
