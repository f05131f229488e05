/** Remembers signed requests, so that one that is sent again is not taken again; for all nodes. */
export interface SignatureStamps {
  /** True for the first time within `lifetimeMs`. `stamp`: a digest in hex. Rejects with RelayError `unavailable` when the store cannot answer. */
  take(stamp: string, lifetimeMs: number): Promise<boolean>;
}
