import { available, type Kv, type Operation } from "../kernel/kv.ts";
import type { TableStamps } from "./table-version-port.ts";

const STAMPS = "stamp/";

/** To be among the operations of every commit that changes the table: its mark is the version of this entry. */
export function stampOperation(table: string): Operation {
  return { type: "put", key: STAMPS + table, value: "1" };
}

/** `stamp/<table>`: an entry whose version tells when the table was last changed. */
export function createTableStamps(kv: Kv): TableStamps {
  return {
    load: (tables) =>
      available(async () => {
        const entries = await kv.getMany(tables.map((table) => STAMPS + table));
        return entries.map((entry) => entry?.version ?? 0);
      }),
  };
}
