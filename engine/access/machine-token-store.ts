import { available, type Kv } from "../kernel/kv.ts";
import { readRecord } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { createRecordStore, MACHINE_TOKENS, recordOperations } from "../tables/record-store.ts";
import type { RecordSource } from "../tables/replicated-table.ts";
import { partitionName, tableVersionOperation } from "../tables/table-versions.ts";
import type { AdministratorUnchanged } from "./administrator-store.ts";
import { loginNameKey } from "./login-names.ts";
import type { MachineTokenRecord } from "./machine-token.ts";

/**
 * Where machine tokens are kept. Rejects with RelayError `unavailable` when the store cannot
 * answer.
 */
export interface MachineTokenStore extends RecordSource<MachineTokenRecord> {
  /** Names that differ in case only are the same. */
  find(name: string): Promise<Stored<MachineTokenRecord> | null>;
  /**
   * `taken`: an administrator, a partner or a token has the name. `stale`: what `actor` checks has
   * changed.
   */
  create(record: MachineTokenRecord, actor: AdministratorUnchanged): Promise<"created" | "taken" | "stale">;
  /** False where it, or what `actor` checks, has changed. */
  remove(before: Stored<MachineTokenRecord>, actor: AdministratorUnchanged): Promise<boolean>;
}

/**
 * Machine tokens on the key-value store: `machine-token/0/<name in lower case>`, and the claim on
 * the name (login-names.ts) in the same commit.
 */
export function createMachineTokenStore(kv: Kv): MachineTokenStore {
  const { table, partitions, load } = createRecordStore<MachineTokenRecord>(kv, MACHINE_TOKENS);
  return {
    table,
    partitions,
    load,
    find: (name) =>
      available(async () => {
        const entry = await kv.get(keyOf(name));
        return entry === null ? null : { record: readRecord("machineToken", entry.key, entry.value), version: entry.version };
      }),
    create: (record, actor) =>
      available(async () => {
        const [key, name] = [keyOf(record.name), loginNameKey(record.name)];
        const result = await kv.commit({
          checks: [{ key, version: 0 }, { key: name, version: 0 }, ...actor.checks],
          operations: [
            ...recordOperations(MACHINE_TOKENS, record.name.toLowerCase(), record),
            { type: "put", key: name, value: '"machine-token"' },
            ...actor.operations,
          ],
        });
        if (result.type === "committed") return "created";
        return result.key === key || result.key === name ? "taken" : "stale";
      }),
    remove: ({ record, version }, actor) =>
      available(async () => {
        const key = keyOf(record.name);
        const result = await kv.commit({
          checks: [{ key, version }, ...actor.checks],
          operations: [
            { type: "delete", key },
            { type: "delete", key: loginNameKey(record.name) },
            tableVersionOperation(partitionName(MACHINE_TOKENS.table, 0)),
            ...actor.operations,
          ],
        });
        return result.type === "committed";
      }),
  };
}

function keyOf(name: string): string {
  return `${MACHINE_TOKENS.prefix}0/${name.toLowerCase()}`;
}
