import { available, type Kv } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { IdempotencyClaim, IdempotencyStore } from "./idempotency-store-port.ts";

export const CLAIMS = "i/";

/** Specification, "Limits": partner idempotency keys are valid for 30 days. */
export const IDEMPOTENCY_LIFETIME_MS = 30 * 86_400_000;

/** When a stored claim is to be forgotten. */
export function claimExpiresAtMs(claim: unknown): number {
  const createdAtMs = typeof claim === "object" && claim !== null && "createdAtMs" in claim ? Number(claim.createdAtMs) : Number.NaN;
  if (!Number.isSafeInteger(createdAtMs)) throw new Error("an idempotency claim does not say when it was created");
  return createdAtMs + IDEMPOTENCY_LIFETIME_MS;
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
