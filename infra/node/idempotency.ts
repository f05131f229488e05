import { createExecuteOnce, type ExecuteOnceOptions } from "../../engine/operations/execute-once.ts";
import type { BoundEndpoint } from "../../http/endpoint/endpoint.ts";
import { idempotent } from "../../http/endpoint/idempotency.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import { createIdempotencyStore } from "../../storage/stores/idempotency-store.ts";

/** Makes endpoints that declare `idempotency` execute once a key, over this store; the others stay as they are. */
export function createIdempotency({
  kv,
  ...options
}: Omit<ExecuteOnceOptions, "store"> & { kv: Kv }): (endpoint: BoundEndpoint) => BoundEndpoint {
  const executeOnce = createExecuteOnce({ ...options, store: createIdempotencyStore(kv) });
  return (endpoint) => idempotent(endpoint, { executeOnce, ids: options.ids });
}
