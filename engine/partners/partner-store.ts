import { loginNameKey } from "../access/login-names.ts";
import { available, type Entry, type Kv, type Operation, scanAll } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import { partitionName, partitionOf, tableVersionOperation } from "../tables/table-versions.ts";
import { DELETED_PARTNER_KEPT_MS, type PartnerRecord, type PartnerUnique, uniquesOf } from "./partner.ts";

export const PARTNER_TABLE = "partners";
/** Must never change. */
export const PARTNER_PARTITIONS = 16;

/** Where partners are kept. Rejects with RelayError `unavailable` when the store cannot answer. */
export interface PartnerStore {
  /** Those of one of `PARTNER_PARTITIONS` partitions (engine/tables/replicated-table.ts) by id, deleted ones too. */
  load(partition: number): Promise<ReadonlyMap<string, StoredPartner>>;
  find(id: number): Promise<StoredPartner | null>;
  /** Stores a partner under the next id, unless something of it is another's. */
  create(build: (id: number) => PartnerRecord): Promise<{ type: "created"; record: PartnerRecord } | PartnerTaken>;
  /** `stale`: it was changed since `before` was read. */
  replace(before: StoredPartner, after: PartnerRecord): Promise<{ type: "replaced" } | { type: "stale" } | PartnerTaken>;
}

export interface StoredPartner {
  record: PartnerRecord;
  version: number;
}

export interface PartnerTaken {
  type: "taken";
  what: PartnerUnique;
}

export const PARTNERS = "nr/";
/**
 * Not a partner: 0.1.0 reads all partners before it does anything else, and ends its start at a number that it does not know, telling it. It has no other way
 * to learn that the store is not its own any more.
 */
export const FORMER_VERSIONS_FENCE = `${PARTNERS}0/~`;

export function fenceText(version: string): string {
  const schema = `2 (Terminal Relay ${version} has written to this store: start that version or a newer one, or restore a backup from before that version, infra/docs/upgrading.md)`;
  return JSON.stringify({ schema });
}

const UNIQUES = "nu/";
const COUNTER = "g/partner-counter";

/** Rounds after which a counter that always moves on is given up; each round somebody else has made a partner. */
const ATTEMPTS_MAX = 50;

/**
 * Partners on the key-value store: `nr/<partition>/<id, 16 digits>` the record, `nu/<member>/<value>` the id of who has it, `g/partner-counter` the id that
 * is next. A record and what makes it unique change in one commit.
 */
export function createPartnerStore(kv: Kv): PartnerStore {
  /** Checks and operations that take the values `after` has and `before` had not, and give back the others. */
  function claims(before: PartnerRecord | null, after: PartnerRecord) {
    const [had, has] = [keysOf(before), keysOf(after)];
    const [taken, freed] = [[...has.keys()].filter((key) => !had.has(key)), [...had.keys()].filter((key) => !has.has(key))];
    const puts = taken.map((key): Operation => ({ type: "put", key, value: JSON.stringify(after.id) }));
    return {
      checks: taken.map((key) => ({ key, version: 0 })),
      operations: [...puts, ...freed.map((key): Operation => ({ type: "delete", key }))],
      takenBy: (key: string): PartnerTaken | null => {
        const what = has.get(key);
        return what === undefined ? null : { type: "taken", what };
      },
    };
  }

  return {
    load: (partition) =>
      available(async () => {
        const entries = (await scanAll(kv, `${PARTNERS}${partition}/`)).filter(({ key }) => key !== FORMER_VERSIONS_FENCE);
        return new Map(entries.map((entry) => [String(recordOf(entry).id), { record: recordOf(entry), version: entry.version }]));
      }),
    find: (id) =>
      available(async () => {
        const entry = await kv.get(keyOf(id));
        return entry === null ? null : { record: recordOf(entry), version: entry.version };
      }),
    create: (build) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const counter = await kv.get(COUNTER);
          const id = counter === null ? 1 : Number(JSON.parse(counter.value));
          const record = build(id);
          const { checks, operations, takenBy } = claims(null, record);
          const result = await kv.commit({
            checks: [{ key: COUNTER, version: counter?.version ?? 0 }, { key: keyOf(id), version: 0 }, ...checks],
            operations: [{ type: "put", key: COUNTER, value: JSON.stringify(id + 1) }, put(record), tableVersionPut(id), ...operations],
          });
          if (result.type === "committed") return { type: "created", record };
          return takenBy(result.key) ?? CONFLICT;
        }),
      ),
    replace: (before, after) =>
      available(async () => {
        const { checks, operations, takenBy } = claims(before.record, after);
        const result = await kv.commit({
          checks: [{ key: keyOf(after.id), version: before.version }, ...checks],
          operations: [put(after), tableVersionPut(after.id), ...operations],
        });
        if (result.type === "committed") return { type: "replaced" };
        return takenBy(result.key) ?? { type: "stale" };
      }),
  };
}

function put(record: PartnerRecord): Operation {
  const operation = { type: "put", key: keyOf(record.id), value: recordText("partner", record) } as const;
  const expiresAtMs = partnerExpiresAtMs(record);
  return expiresAtMs === null ? operation : { ...operation, expiresAtMs };
}

/** When a stored partner is to be forgotten; null for one that was not deleted. */
export function partnerExpiresAtMs(record: unknown): number | null {
  const deletedAtMs = typeof record === "object" && record !== null && "deletedAtMs" in record ? record.deletedAtMs : null;
  return typeof deletedAtMs === "number" ? deletedAtMs + DELETED_PARTNER_KEPT_MS : null;
}

function tableVersionPut(id: number): Operation {
  return tableVersionOperation(partitionName(PARTNER_TABLE, partitionOf(String(id), PARTNER_PARTITIONS)));
}

function keyOf(id: number): string {
  return `${PARTNERS}${partitionOf(String(id), PARTNER_PARTITIONS)}/${String(id).padStart(16, "0")}`;
}

function keysOf(record: PartnerRecord | null): Map<string, PartnerUnique> {
  const uniques = record === null ? [] : uniquesOf(record);
  return new Map(uniques.map(({ what, value }) => [what === "username" ? loginNameKey(value) : `${UNIQUES}${what}/${value}`, what]));
}

function recordOf({ key, value }: Entry): PartnerRecord {
  return readRecord("partner", key, value);
}
