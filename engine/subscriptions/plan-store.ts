import type { CommitPart } from "../kernel/commit-part.ts";
import { available, type Kv, type Operation, prefixRange } from "../kernel/kv.ts";
import { listPrefix, placeKey } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import { PLANS_MAX, type PlanRecord } from "./plan.ts";

/**
 * The plans of merchants. Every method rejects with RelayError `unavailable` if the store cannot
 * respond. After a failed commit it is unknown whether it was executed.
 */
export interface PlanStore {
  load(id: string): Promise<Stored<PlanRecord> | null>;
  /** Returns false if the id is taken. */
  create(record: PlanRecord): Promise<boolean>;
  /** Returns false if the stored version differs. */
  replace(before: Stored<PlanRecord>, record: PlanRecord): Promise<boolean>;
  remove(before: Stored<PlanRecord>): Promise<boolean>;
  /**
   * Returns all plans, newest first. There are at most PLANS_MAX, plus those created at the same
   * moment.
   */
  all(list: MerchantScope): Promise<readonly PlanRecord[]>;
  count(list: MerchantScope): Promise<number>;
}

const PLANS = "plan/";
const BY_TIME = "plan-of/";

/** Requests contain ids that nobody has validated. */
const ID = /^plan_[a-z0-9]{24}$/;

/**
 * Stores plans on the key-value store: `plan/<id>`, with the ids in `plan-of/<merchant>/<live or
 * test>/<13 digits of milliseconds>/<id>`. They do not expire.
 */
export function createPlanStore(kv: Kv): PlanStore {
  async function commit({ checks, operations }: CommitPart): Promise<boolean> {
    return (await kv.commit({ checks, operations })).type === "committed";
  }

  return {
    load: (id) =>
      available(async () => {
        const entry = ID.test(id) ? await kv.get(PLANS + id) : null;
        return entry === null ? null : { record: planOf(entry.value), version: entry.version };
      }),
    create: (record) =>
      available(() =>
        commit({
          checks: [{ key: PLANS + record.id, version: 0 }],
          operations: [put(record), { type: "put", key: timeKey(record), value: record.id }],
        }),
      ),
    replace: ({ record: { id }, version }, record) =>
      available(() => commit({ checks: [{ key: PLANS + id, version }], operations: [put(record)] })),
    remove: ({ record, version }) =>
      available(() =>
        commit({
          checks: [{ key: PLANS + record.id, version }],
          operations: [
            { type: "delete", key: PLANS + record.id },
            { type: "delete", key: timeKey(record) },
          ],
        }),
      ),
    all: (list) =>
      available(async () => {
        const entries = await kv.scan({ ...prefixRange(listPrefix(BY_TIME, list)), limit: 2 * PLANS_MAX, reverse: true });
        const plans = entries.length === 0 ? [] : await kv.getMany(entries.map(({ value }) => PLANS + value));
        return plans.flatMap((plan) => (plan === null ? [] : [planOf(plan.value)]));
      }),
    count: (list) => available(() => kv.count({ ...prefixRange(listPrefix(BY_TIME, list)), limit: PLANS_MAX })),
  };
}

/**
 * Returns the part for the commit of a new subscription: it checks that the plan is unchanged and
 * marks it as used.
 */
export function planUse({ record, version }: Stored<PlanRecord>): CommitPart {
  return { checks: [{ key: PLANS + record.id, version }], operations: record.used ? [] : [put({ ...record, used: true })] };
}

function put(record: PlanRecord): Operation {
  return { type: "put", key: PLANS + record.id, value: recordText("plan", record) };
}

function planOf(text: string): PlanRecord {
  return readRecord("plan", "a plan", text);
}

function timeKey(record: PlanRecord): string {
  return placeKey(listPrefix(BY_TIME, record), { atMs: record.createdAtMs, id: record.id });
}
