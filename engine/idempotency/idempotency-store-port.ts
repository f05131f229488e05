import type { Stored } from "../kernel/stored.ts";

/** What is kept of one idempotency key. The request itself is not: only a digest of it. */
export interface IdempotencyClaim {
  schema: 1;
  /** Digest of the request that came first; another one with the same key is refused. */
  fingerprint: string;
  /** Id under which the operation is executed, the same at every attempt: what was done under it is not done again. */
  operationId: string;
  createdAtMs: number;
  state: /** Somebody executes it; who died doing so holds it no longer than `untilMs`. */
    | { type: "running"; untilMs: number }
    /** The last attempt ended without an answer that stands (a dependency was away); the next one goes on where it ended. */
    | { type: "open" }
    | { type: "answered"; text: string; sealed: boolean };
}

/**
 * Where claims are kept, by their scope (a digest of caller, method, path and key), for 30 days after the first request. Rejects
 * with RelayError `unavailable` when the store cannot answer.
 */
export interface IdempotencyStore {
  load(scope: string): Promise<Stored<IdempotencyClaim> | null>;
  /** Stores the claim over just this version (0: there is none); answers with the new version, or null when another one stands there. */
  save(scope: string, claim: IdempotencyClaim, version: number): Promise<number | null>;
}
