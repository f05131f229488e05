import { createExecuteOnce, type ExecuteOnce, type ExecuteOnceOptions } from "../../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../../engine/idempotency/idempotency-store.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { BoundEndpoint } from "../../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../../http/endpoint/idempotency.ts";

export type IdempotencyParts = Omit<ExecuteOnceOptions, "store"> & { kv: Kv };

/** Executes work once per key with this store, for keys that are not in a header. */
export function createOnce({ kv, ...options }: IdempotencyParts): ExecuteOnce {
  return createExecuteOnce({ ...options, store: createIdempotencyStore(kv) });
}

/**
 * Makes endpoints that declare `idempotency` execute once per key with this store. Other endpoints
 * are unchanged.
 */
export function createIdempotency(parts: IdempotencyParts): (endpoint: BoundEndpoint) => BoundEndpoint {
  const executeOnce = createOnce(parts);
  return (endpoint) => idempotent(endpoint, { executeOnce, ids: parts.ids });
}
