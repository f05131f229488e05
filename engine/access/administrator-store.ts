import { available, type Kv, type Operation } from "../kernel/kv.ts";
import { readRecord } from "../kernel/schemas.ts";
import { ADMINISTRATORS, createRecordStore, recordOperations } from "../tables/record-store.ts";
import type { RecordSource } from "../tables/replicated-table.ts";
import { partitionName, tableVersionOperation } from "../tables/table-versions.ts";
import type { AdministratorRecord } from "./administrator.ts";
import { loginNameKey } from "./login-names.ts";

export interface StoredAdministrator {
  readonly record: AdministratorRecord;
  readonly version: number;
}

export interface AdministratorChange {
  username: string;
  /** Null creates. */
  before: StoredAdministrator | null;
  /** Null removes. */
  after: AdministratorRecord | null;
  /** Who makes the change; has to be stored as it was read, so that nobody acts who has just lost the right. Null for the one of the configuration. */
  actor: StoredAdministrator | null;
}

/** Where administrators are kept. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface AdministratorStore extends RecordSource<AdministratorRecord> {
  /** Names that differ in case only are the same. */
  find(username: string): Promise<StoredAdministrator | null>;
  /** `stale`: `before` or `actor` was changed since it was read. `taken`: an administrator or a partner has the name. */
  replace(change: AdministratorChange): Promise<"replaced" | "stale" | "taken">;
}

/** That an administrator is still as it was read, for a commit that is decided by it. */
export interface AdministratorUnchanged {
  readonly checks: readonly { key: string; version: number }[];
  readonly operations: readonly Operation[];
}

/** Nothing to check of the one of the configuration (null). */
export function administratorUnchanged(stored: StoredAdministrator | null): AdministratorUnchanged {
  return { checks: stored === null ? [] : [{ key: keyOf(stored.record.username), version: stored.version }], operations: [] };
}

/**
 * Administrators on the key-value store: `administrator/0/<name in lower case>`, and the claim on the name (login-names.ts) in the same commit. `removed`: what else
 * goes with one that is removed.
 */
export function createAdministratorStore(
  kv: Kv,
  removed: (administrator: AdministratorRecord) => readonly Operation[] = () => [],
): AdministratorStore {
  const { table, partitions, load } = createRecordStore<AdministratorRecord>(kv, ADMINISTRATORS);
  return {
    table,
    partitions,
    load,
    find: (username) =>
      available(async () => {
        const entry = await kv.get(keyOf(username));
        return entry === null ? null : { record: recordOf(entry.key, entry.value), version: entry.version };
      }),
    replace: ({ username, before, after, actor }) =>
      available(async () => {
        const [key, name] = [keyOf(username), loginNameKey(username)];
        const isOther = actor !== null && keyOf(actor.record.username) !== key;
        const result = await kv.commit({
          checks: [
            { key, version: before?.version ?? 0 },
            ...(before === null ? [{ key: name, version: 0 }] : []),
            ...(isOther ? [{ key: keyOf(actor.record.username), version: actor.version }] : []),
          ],
          operations: [...operationsOf(before, after, { key, name }), ...(before !== null && after === null ? removed(before.record) : [])],
        });
        if (result.type === "committed") return "replaced";
        return before === null && (result.key === key || result.key === name) ? "taken" : "stale";
      }),
  };
}

function operationsOf(
  before: StoredAdministrator | null,
  after: AdministratorRecord | null,
  at: { key: string; name: string },
): Operation[] {
  if (after !== null) {
    const claim: Operation[] = before === null ? [{ type: "put", key: at.name, value: '"administrator"' }] : [];
    return [...recordOperations(ADMINISTRATORS, after.username.toLowerCase(), after), ...claim];
  }
  return [{ type: "delete", key: at.key }, { type: "delete", key: at.name }, tableVersionOperation(partitionName(ADMINISTRATORS.table, 0))];
}

function keyOf(username: string): string {
  return `${ADMINISTRATORS.prefix}0/${username.toLowerCase()}`;
}

function recordOf(key: string, value: string): AdministratorRecord {
  return readRecord("namedAdministrator", key, value);
}
