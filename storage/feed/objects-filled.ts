import type { Kv } from "../../engine/kernel/kv.ts";
import { readBareRecord, recordText } from "../../engine/kernel/schemas.ts";
import type { Stored } from "../../engine/kernel/stored.ts";

const KEY = "objects/filled";

/** Which table (by its id in ClickHouse) has the rows of the things of merchants that were there before they were fed. Another ClickHouse has another table. */
export interface ObjectsFilled {
  table: string;
}

/** Null while none has. Rejects with StorageUnavailable. */
export async function loadObjectsFilled(kv: Kv): Promise<Stored<ObjectsFilled> | null> {
  const entry = await kv.get(KEY);
  return entry === null ? null : { record: readBareRecord<ObjectsFilled>("objectsFilled", KEY, entry.value), version: entry.version };
}

/** Rejects with StorageUnavailable. */
export async function noteObjectsFilled(kv: Kv, before: Stored<ObjectsFilled> | null, table: string): Promise<void> {
  const operations = [{ type: "put", key: KEY, value: recordText("objectsFilled", { table }) } as const];
  // Where another node has noted the same meanwhile it stands there.
  await kv.commit({ checks: [{ key: KEY, version: before?.version ?? 0 }], operations });
}
