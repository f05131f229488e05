import type { Kv } from "../../engine/kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../../engine/kernel/retry-on-conflict.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import type { Stored } from "../../engine/kernel/stored.ts";

const KEY = "shop/since";

/** Each attempt that is lost was won by a node that starts at the same time. */
const ATTEMPTS_MAX = 64;

export interface ShopsSince {
  /** From then on everything that is accepted says whose it is, or that it is nobody's. */
  sinceMs: number;
  /** The table (its UUID in ClickHouse) that has the merchants' rows of before; null while none has. Another ClickHouse has another table. */
  filled: string | null;
}

/** Since when this store has been written by versions that keep whose a payment is; noted at the first start of one. Rejects with StorageUnavailable. */
export function noteShopsSince(kv: Kv, nowMs: () => number): Promise<void> {
  return retryOnConflict(ATTEMPTS_MAX, async () => {
    if ((await kv.get(KEY)) !== null) return;
    return (await put(kv, { record: { sinceMs: nowMs(), filled: null }, version: 0 })) ? undefined : CONFLICT;
  });
}

/** Null before `noteShopsSince`. Rejects with StorageUnavailable. */
export async function loadShopsSince(kv: Kv): Promise<Stored<ShopsSince> | null> {
  const entry = await kv.get(KEY);
  return entry === null ? null : { record: readBareRecord<ShopsSince>("shopsSince", KEY, entry.value), version: entry.version };
}

/** Notes that a table has the rows of before. Rejects with StorageUnavailable. */
export async function noteFilled(kv: Kv, { record, version }: Stored<ShopsSince>, table: string): Promise<void> {
  // Where another node has noted the same meanwhile it stands there.
  await put(kv, { record: { ...record, filled: table }, version });
}

/**
 * Notes that no table has them: rows of before were inserted anew, into one that was filled already perhaps. Whoever fills one just now does not note it then.
 * Rejects with StorageUnavailable.
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
