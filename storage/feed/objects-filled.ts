import type { Kv } from "../../engine/kernel/kv.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import type { Stored } from "../../engine/kernel/stored.ts";

const KEY = "objects/filled";

/**
 * The table, by its id in ClickHouse, that has the rows of the objects that merchants had before
 * rows were fed. Another ClickHouse has another table.
 */
export interface ObjectsFilled {
  table: string;
}

/** Resolves with null while no table has them. Rejects with StorageUnavailable. */
export async function loadObjectsFilled(kv: Kv): Promise<Stored<ObjectsFilled> | null> {
  const entry = await kv.get(KEY);
  return entry === null ? null : { record: readBareRecord<ObjectsFilled>("objectsFilled", KEY, entry.value), version: entry.version };
}

/** Marks the table as filled. Rejects with StorageUnavailable. */
export async function noteObjectsFilled(kv: Kv, before: Stored<ObjectsFilled> | null, table: string): Promise<void> {
  const operations = [{ type: "put", key: KEY, value: recordText("objectsFilled", { table }) } as const];
  // On a conflict another node has already stored the same.
  await kv.commit({ checks: [{ key: KEY, version: before?.version ?? 0 }], operations });
}
