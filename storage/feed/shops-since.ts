import type { Kv } from "../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../engine/kernel/retry-on-conflict.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import type { Stored } from "../../engine/kernel/stored.ts";

const KEY = "shop/since";

/** A lost attempt was won by another node that starts at the same time. */
const ATTEMPTS_MAX = 64;

export interface ShopsSince {
  /**
   * From this time on, every accepted row names the owning merchant, or states that there is none.
   */
  sinceMs: number;
  /**
   * The table, by its UUID in ClickHouse, that has the merchants' legacy rows. Null while no table
   * has them. Another ClickHouse has another table.
   */
  filled: string | null;
}

/**
 * Stores since when the versions that write this store record the owning merchant of a payment. The
 * first start of such a version stores it. Rejects with StorageUnavailable.
 */
export function noteShopsSince(kv: Kv, nowMs: () => number): Promise<void> {
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    if ((await kv.get(KEY)) !== null) return;
    return (await put(kv, { record: { sinceMs: nowMs(), filled: null }, version: 0 })) ? undefined : CONFLICT;
  });
}

/** Resolves with null before `noteShopsSince`. Rejects with StorageUnavailable. */
export async function loadShopsSince(kv: Kv): Promise<Stored<ShopsSince> | null> {
  const entry = await kv.get(KEY);
  return entry === null ? null : { record: readBareRecord<ShopsSince>("shopsSince", KEY, entry.value), version: entry.version };
}

/** Marks a table as filled with the legacy rows. Rejects with StorageUnavailable. */
export async function noteFilled(kv: Kv, { record, version }: Stored<ShopsSince>, table: string): Promise<void> {
  // On a conflict another node has already stored the same.
  await put(kv, { record: { ...record, filled: table }, version });
}

/**
 * Marks the backfill as incomplete after legacy rows were inserted again, perhaps into a table that
 * was already filled. A running backfill then does not mark itself complete. Rejects with
 * StorageUnavailable.
 */
export function noteUnfilled(kv: Kv): Promise<void> {
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    const since = await loadShopsSince(kv);
    if (since === null) return;
    return (await put(kv, { ...since, record: { ...since.record, filled: null } })) ? undefined : CONFLICT;
  });
}

async function put(kv: Kv, { record, version }: Stored<ShopsSince>): Promise<boolean> {
  const operations = [{ type: "put", key: KEY, value: recordText("shopsSince", record) } as const];
  return (await kv.commit({ checks: [{ key: KEY, version }], operations })).type === "committed";
}
