import type { Clock } from "../kernel/clock.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { createRecent } from "../kernel/recent.ts";
import { dunningCalendar, lastFailureOf } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import type { SubscriptionQueries } from "./subscription-queries.ts";

/** Limits the tasks of an overview, which names only the newest. */
const TASKS_MAX = 20;

/** Calls within this time share one read. */
const RECENT_MS = 4_000;

/** A subscription with a failed payment. */
export interface SubscriptionTask {
  readonly kind: "subscription_past_due";
  readonly id: string;
  /** The time of the first failure. */
  readonly atMs: number;
  /** The time of the policy's final action; null if that changes nothing any more. */
  readonly dueAtMs: number | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly planName: string;
  /** Why the last attempt failed; null if none was rejected. */
  readonly code: string | null;
  readonly description: string | null;
}

/**
 * Returns the tasks of a merchant, newest first and a few seconds old at most. Rejects with
 * RelayError `unavailable`.
 */
export type SubscriptionTasks = (list: MerchantScope) => Promise<readonly SubscriptionTask[]>;

export function createSubscriptionTasks({ store, clock }: { store: Pick<SubscriptionQueries, "page">; clock: Clock }): SubscriptionTasks {
  const recent = createRecent<readonly SubscriptionTask[]>(clock, RECENT_MS);

  async function look(list: MerchantScope): Promise<readonly SubscriptionTask[]> {
    const query = { limit: TASKS_MAX, after: null, fromMs: null, beforeMs: null, planId: null, customerEmail: null };
    const { items } = await store.page(list, { ...query, state: "PAST_DUE" });
    return items.map(taskOf).sort((one, other) => other.atMs - one.atMs);
  }

  return ({ merchantId, livemode }) => recent(`${merchantId}/${livemode}`, () => look({ merchantId, livemode }));
}

function taskOf({ id, dunning, updatedAtMs, charge, plan }: SubscriptionRecord): SubscriptionTask {
  const { amountMinor, currency } = charge ?? plan;
  const { code = null, description = null } = charge === null ? {} : (lastFailureOf(charge) ?? {});
  const dueAtMs = dunning === null || dunning.stays ? null : dunningCalendar(dunning).finalAtMs;
  return {
    kind: "subscription_past_due",
    id,
    atMs: dunning?.failedAtMs ?? updatedAtMs,
    dueAtMs,
    amountMinor,
    currency,
    planName: plan.name,
    code,
    description,
  };
}
