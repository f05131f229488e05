import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { MerchantParty } from "../kernel/merchant-scope.ts";
import { type Digest, prefixedId } from "../kernel/prefixed-id.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import type { Stored } from "../kernel/stored.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import { checkedPlan } from "./check-text.ts";
import { checkedTerms, type DunningTerms } from "./dunning-policy.ts";
import type { DunningPolicyStore } from "./dunning-policy-store.ts";
import { PLANS_MAX, type PlanRecord, type PlanTerms } from "./plan.ts";
import type { PlanStore } from "./plan-store.ts";

/** A round is lost if the plan changed concurrently. */
const ROUNDS_MAX = 8;

/**
 * The plans of merchants and their policies for unpaid cycles. An object of another merchant or
 * environment is null, as if it did not exist. Every method rejects with RelayError `unavailable`
 * if the store cannot respond.
 */
export interface Plans {
  /**
   * Idempotent by the id of the operation. Throws RelayError `invalid_request` naming the member,
   * and `conflict` above PLANS_MAX.
   */
  create(owner: MerchantParty, terms: PlanTerms, operation: RequestContext): Promise<PlanRecord>;
  find(owner: MerchantParty, id: string): Promise<PlanRecord | null>;
  /** Returns all plans, newest first. */
  list(owner: MerchantParty): Promise<readonly PlanRecord[]>;
  /** Permits or forbids new subscriptions. Existing ones continue unchanged. */
  setActive(owner: MerchantParty, id: string, active: boolean): Promise<PlanRecord | null>;
  /** `used`: it has or had subscriptions, so it can only be deactivated. */
  remove(owner: MerchantParty, id: string): Promise<"removed" | "used" | null>;
  dunning(owner: MerchantParty): Promise<DunningTerms>;
  /** Applies to later failures. Throws RelayError `invalid_request` naming the member. */
  setDunning(owner: MerchantParty, terms: DunningTerms): Promise<DunningTerms>;
}

export interface PlansOptions {
  store: PlanStore;
  policies: DunningPolicyStore;
  clock: Clock;
  digest: Digest;
}

export function createPlans({ store, policies, clock, digest }: PlansOptions): Plans {
  async function own({ merchantId, livemode }: MerchantParty, id: string): Promise<Stored<PlanRecord> | null> {
    const stored = await store.load(id);
    return stored !== null && stored.record.merchantId === merchantId && stored.record.livemode === livemode ? stored : null;
  }

  return {
    create: async (owner, given, operation) => {
      const id = prefixedId("plan_", digest(`plan ${operation.id}`));
      const existing = await own(owner, id);
      if (existing !== null) return existing.record;
      const terms = checkedPlan(given);
      if ((await store.count(owner)) >= PLANS_MAX)
        throw new RelayError("conflict", `A merchant may have at most ${PLANS_MAX} plans; delete one first`);
      const atMs = clock.nowMs();
      const { merchantId, partnerId, livemode } = owner;
      const record: PlanRecord = {
        ...{ schema: 1, id, merchantId, partnerId, livemode, terms, active: true, used: false, createdAtMs: atMs, updatedAtMs: atMs },
      };
      if (await store.create(record)) return record;
      // Another request with this operation was first, and its plan counts.
      const found = await own(owner, id);
      if (found === null) throw new RelayError("conflict", "The plan was removed in the meantime");
      return found.record;
    },
    find: async (owner, id) => (await own(owner, id))?.record ?? null,
    list: (owner) => store.all(owner),
    setActive: (owner, id, active) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await own(owner, id);
        if (stored === null) return null;
        if (stored.record.active === active) return stored.record;
        const record = { ...stored.record, active, updatedAtMs: clock.nowMs() };
        return (await store.replace(stored, record)) ? record : CONFLICT;
      }),
    remove: (owner, id) =>
      retryOnConflict(ROUNDS_MAX, async () => {
        const stored = await own(owner, id);
        if (stored === null) return null;
        if (stored.record.used) return "used" as const;
        return (await store.remove(stored)) ? ("removed" as const) : CONFLICT;
      }),
    dunning: ({ merchantId }) => policies.termsOf(merchantId),
    setDunning: async ({ merchantId }, given) => {
      const terms = checkedTerms(given);
      await policies.set({ schema: 1, merchantId, terms, updatedAtMs: clock.nowMs() });
      return terms;
    },
  };
}
