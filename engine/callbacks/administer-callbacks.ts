import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { type CallbackRecord, resentCallback } from "./callback.ts";
import type { CallbackStore } from "./callback-store.ts";

/** What an administrator does with callbacks that are owed to clients of the adapter. */
export interface AdministerCallbacks {
  /** By age; `after` is the `id` of the last one of the page before. Throws RelayError `invalid_request` for one that is not there any more. */
  list(state: CallbackRecord["state"], after: string | null, limit: number): Promise<CallbackRecord[]>;
  /** Has it sent at once, with all its attempts again; null where there is none. Throws RelayError `conflict` while it is being changed. */
  resend(id: string): Promise<CallbackRecord | null>;
}

export function createAdministerCallbacks({ store, clock }: { store: CallbackStore; clock: Clock }): AdministerCallbacks {
  return {
    list: async (state, after, limit) => {
      if (after === null) return store.page(state, null, limit);
      const last = await store.load(after);
      if (last === null) throw new RelayError("invalid_request", "after: this callback no longer exists; start again without it");
      const { id, nextAtMs, createdAtMs } = last.record;
      return store.page(state, { id, atMs: state === "waiting" ? nextAtMs : createdAtMs }, limit);
    },
    resend: async (id) => {
      const stored = await store.load(id);
      if (stored === null) return null;
      const replaced = await store.replace(stored, resentCallback(stored.record, clock.nowMs()));
      if (replaced === null)
        throw new RelayError("conflict", "The callback is being sent at this moment; retry shortly", { retryAfterSeconds: 1 });
      return replaced.record;
    },
  };
}
