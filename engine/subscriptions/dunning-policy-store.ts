import { available, type Kv } from "../kernel/kv.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import { DUNNING_DEFAULT, type DunningPolicyRecord, type DunningTerms } from "./dunning-policy.ts";

/**
 * The policies of merchants. Every method rejects with RelayError `unavailable` if the store cannot
 * respond.
 */
export interface DunningPolicyStore {
  /** Returns the default policy if the merchant has none. */
  termsOf(merchantId: string): Promise<DunningTerms>;
  /** Replaces the policy for later failures. */
  set(record: DunningPolicyRecord): Promise<void>;
}

const POLICIES = "dunning-policy/";

export function createDunningPolicyStore(kv: Kv): DunningPolicyStore {
  return {
    termsOf: (merchantId) =>
      available(async () => {
        const entry = await kv.get(POLICIES + merchantId);
        if (entry === null) return DUNNING_DEFAULT;
        return readRecord<DunningPolicyRecord>("dunningPolicy", "a dunning policy", entry.value).terms;
      }),
    set: (record) =>
      available(async () => {
        await kv.commit({
          checks: [],
          operations: [{ type: "put", key: POLICIES + record.merchantId, value: recordText("dunningPolicy", record) }],
        });
      }),
  };
}
