import { createDueIndex, type DueIndex, dueOperations } from "../kernel/due-index-store.ts";
import { available, type Kv } from "../kernel/kv.ts";
import { type IndexPage, type Place, pageOfIndex, placeKey } from "../kernel/merchant-index-store.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { FLEET_ACTION_KEPT_MS, type FleetAction } from "./action.ts";

/** Stores actions on many terminals. Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface FleetActionStore extends DueIndex {
  load(id: string): Promise<Stored<FleetAction> | null>;
  /** `before` is null for a new one. Returns false if something else was stored meanwhile. */
  commit(after: FleetAction, before: Stored<FleetAction> | null): Promise<boolean>;
  /** The newest come first. */
  page(limit: number, after: Place | null): Promise<IndexPage<FleetAction>>;
}

const ACTIONS = "fleet-action/";
const BY_TIME = "fleet-actions/";
const DUE = "due/fleet-action/";

/** Requests supply ids without any check. */
export const FLEET_ACTION_ID = /^fla_[a-z0-9]{24}$/;

export function createFleetActionStore(kv: Kv): FleetActionStore {
  async function loadAll(ids: readonly string[]): Promise<FleetAction[]> {
    const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => ACTIONS + id));
    return entries.flatMap((entry) => (entry === null ? [] : [recordOf(entry.value)]));
  }

  return {
    ...createDueIndex(kv, DUE),
    load: (id) =>
      available(async () => {
        const entry = FLEET_ACTION_ID.test(id) ? await kv.get(ACTIONS + id) : null;
        return entry === null ? null : { record: recordOf(entry.value), version: entry.version };
      }),
    commit: (after, before) =>
      available(async () => {
        const { id, createdAtMs } = after;
        const key = ACTIONS + id;
        const expiresAtMs = createdAtMs + FLEET_ACTION_KEPT_MS;
        const listed = { type: "put", key: placeKey(BY_TIME, { atMs: createdAtMs, id }), value: id, expiresAtMs } as const;
        const result = await kv.commit({
          checks: [{ key, version: before?.version ?? 0 }],
          operations: [
            { type: "put", key, value: recordText("fleetAction", after), expiresAtMs },
            ...(before === null ? [listed] : []),
            ...dueOperations(DUE, id, before?.record.nextAtMs ?? null, after.nextAtMs),
          ],
        });
        return result.type === "committed";
      }),
    page: (limit, after) =>
      available(() =>
        pageOfIndex(kv, BY_TIME, { limit, after, fromMs: null, beforeMs: null, order: "newest" }, { load: loadAll, matches: () => true }),
      ),
  };
}

function recordOf(text: string): FleetAction {
  return readRecord("fleetAction", "an action on terminals", text);
}
