import { available, type Kv } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";

/** What is kept of one idempotency key. The request itself is not: only a digest of it. */
export interface IdempotencyClaim {
  schema: 1;
  /** Digest of the request that came first; another one with the same key is refused. */
  fingerprint: string;
  /** Id under which the operation is executed, the same at every attempt: what was done under it is not done again. */
  operationId: string;
  createdAtMs: number;
  /** How long it is kept from then on; absent: IDEMPOTENCY_LIFETIME_MS. */
  lifetimeMs?: number;
  state: /** Somebody executes it; who died doing so holds it no longer than `untilMs`. */
    | { type: "running"; untilMs: number }
    /** The last attempt ended without an answer that stands (a dependency was away); the next one goes on where it ended. */
    | { type: "open" /** Nothing was done: the key may be used for another request, too. */; free?: true }
    | { type: "answered"; text: string; sealed: boolean };
}

/**
 * Where claims are kept, by their scope (a digest of caller, what for and key), for their lifetime after the first request. Rejects
 * with RelayError `unavailable` when the store cannot answer.
 */
export interface IdempotencyStore {
  load(scope: string): Promise<Stored<IdempotencyClaim> | null>;
  /** Stores the claim over just this version (0: there is none); answers with the new version, or null when another one stands there. */
  save(scope: string, claim: IdempotencyClaim, version: number): Promise<number | null>;
}

export const CLAIMS = "i/";

/** Part of the interface: idempotency keys of partners are valid for 30 days; a surface may have another lifetime. */
export const IDEMPOTENCY_LIFETIME_MS = 30 * 86_400_000;

/** When a stored claim is to be forgotten. */
export function claimExpiresAtMs(claim: unknown): number {
  const createdAtMs = typeof claim === "object" && claim !== null && "createdAtMs" in claim ? Number(claim.createdAtMs) : Number.NaN;
  if (!Number.isSafeInteger(createdAtMs)) throw new Error("an idempotency claim does not say when it was created");
  return createdAtMs + lifetimeOf(claim);
}

function lifetimeOf(claim: unknown): number {
  const lifetimeMs = typeof claim === "object" && claim !== null && "lifetimeMs" in claim ? claim.lifetimeMs : IDEMPOTENCY_LIFETIME_MS;
  if (!Number.isSafeInteger(lifetimeMs)) throw new Error("an idempotency claim does not say how long it is kept");
  return Number(lifetimeMs);
}

/** Idempotency keys on the key-value store: `i/<scope>`. */
export function createIdempotencyStore(kv: Kv): IdempotencyStore {
  return {
    load: (scope) =>
      available(async () => {
        const entry = await kv.get(CLAIMS + scope);
        if (entry === null) return null;
        return { record: readRecord<IdempotencyClaim>("idempotencyClaim", "an idempotency claim", entry.value), version: entry.version };
      }),
    save: (scope, claim, version) =>
      available(async () => {
        const key = CLAIMS + scope;
        const expiresAtMs = claimExpiresAtMs(claim);
        const result = await kv.commit({
          checks: [{ key, version }],
          operations: [{ type: "put", key, value: recordText("idempotencyClaim", claim), expiresAtMs }],
        });
        return result.type === "committed" ? result.version : null;
      }),
  };
}
