import { createExecuteOnce, type ExecuteOnceOptions } from "../../../engine/idempotency/execute-once.ts";
import { createIdempotencyStore } from "../../../engine/idempotency/idempotency-store.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { BoundEndpoint } from "../../../http/endpoint/endpoint.ts";
import { idempotent } from "../../../http/endpoint/idempotency.ts";

/** Makes endpoints that declare `idempotency` execute once per key, with this store; the others are not changed. */
export function createIdempotency({
  kv,
  ...options
}: Omit<ExecuteOnceOptions, "store"> & { kv: Kv }): (endpoint: BoundEndpoint) => BoundEndpoint {
  const executeOnce = createExecuteOnce({ ...options, store: createIdempotencyStore(kv) });
  return (endpoint) => idempotent(endpoint, { executeOnce, ids: options.ids });
}
