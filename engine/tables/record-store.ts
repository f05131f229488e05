import { available, type Kv, type Operation, scanAll } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText, type SchemaKind } from "../kernel/schemas.ts";
import { partitionName, partitionOf, tableVersionOperation } from "./table-versions.ts";

/**
 * Small administered records of one kind, by key, in partitions (engine/tables/replicated-table.ts). Rejects with RelayError `unavailable`
 * when the store cannot answer.
 */
export interface RecordStore<R> {
  readonly table: string;
  readonly partitions: number;
  load(partition: number): Promise<ReadonlyMap<string, { record: R; version: number }>>;
  /** Creates or replaces; the latest write wins. */
  save(key: string, record: R): Promise<void>;
  /**
   * Stores what `work` makes of the record as it stands (undefined: there is none) and resolves with it; again where others changed it meanwhile, so that
   * no change is lost. What `work` throws is passed on, and nothing stored.
   */
  change(key: string, work: (before: R | undefined) => R): Promise<R>;
  remove(key: string): Promise<void>;
}

/** A kind of administered records: where they stand, and in how many partitions, which must never change. */
export interface RecordKind {
  schema: SchemaKind;
  prefix: string;
  table: string;
  partitions: number;
}

export const CLOUD_CONFIGS: RecordKind = { schema: "cloudConfig", prefix: "h/", table: "cloud-configs", partitions: 64 };
export const TERMINAL_GROUPS: RecordKind = { schema: "terminalGroup", prefix: "j/", table: "terminal-groups", partitions: 1 };
export const GATEWAY_ACCOUNTS: RecordKind = { schema: "gatewayAccount", prefix: "ga/", table: "gateway-accounts", partitions: 1 };
/** Whose a merchant is: what is asked of merchants while nobody can wait. */
export const MERCHANT_OWNERS: RecordKind = { schema: "merchantOwner", prefix: "merchant-owner/", table: "merchant-owners", partitions: 64 };
export const ADMINISTRATORS: RecordKind = {
  schema: "namedAdministrator",
  prefix: "administrator/",
  table: "administrators",
  partitions: 1,
};
export const MACHINE_TOKENS: RecordKind = { schema: "machineToken", prefix: "machine-token/", table: "machine-tokens", partitions: 1 };
export const SERVICE_SETTINGS: RecordKind = { schema: "serviceSettings", prefix: "gs/", table: "service-settings", partitions: 1 };

/** Changes of one record that may come between reading and storing it; so many in a row mean that something is wrong. */
const ATTEMPTS_MAX = 64;

/** What has to be in a commit that stores a record of this kind. */
export function recordOperations(
  { schema, prefix, table, partitions }: RecordKind,
  key: string,
  record: { readonly schema: number },
): Operation[] {
  const partition = partitionOf(key, partitions);
  return [
    { type: "put", key: `${prefix}${partition}/${key}`, value: recordText(schema, record) },
    tableVersionOperation(partitionName(table, partition)),
  ];
}

/** Records of one kind on the key-value store: `<prefix><part>/<key>`. */
export function createRecordStore<R extends { readonly schema: number }>(kv: Kv, kind: RecordKind): RecordStore<R> {
  const { prefix, table, partitions } = kind;
  const at = (key: string) => `${prefix}${partitionOf(key, partitions)}/${key}`;
  const versionPut = (key: string) => tableVersionOperation(partitionName(table, partitionOf(key, partitions)));

  function recordOf(key: string, value: string): R {
    return readRecord(kind.schema, key, value);
  }

  return {
    table,
    partitions,
    load: (partition) =>
      available(async () => {
        const start = `${prefix}${partition}/`;
        const entries = await scanAll(kv, start);
        return new Map(entries.map(({ key, value, version }) => [key.slice(start.length), { record: recordOf(key, value), version }]));
      }),
    save: (key, record) =>
      available(async () => {
        await kv.commit({ checks: [], operations: recordOperations(kind, key, record) });
      }),
    change: (key, work) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const before = await kv.get(at(key));
          const record = work(before === null ? undefined : recordOf(key, before.value));
          const checks = [{ key: at(key), version: before?.version ?? 0 }];
          const { type } = await kv.commit({ checks, operations: recordOperations(kind, key, record) });
          return type === "committed" ? record : CONFLICT;
        }),
      ),
    remove: (key) =>
      available(async () => {
        await kv.commit({ checks: [], operations: [{ type: "delete", key: at(key) }, versionPut(key)] });
      }),
  };
}
