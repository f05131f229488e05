import type { Clock } from "../kernel/clock.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { createRecent } from "../kernel/recent.ts";
import { dunningCalendar } from "./rules.ts";
import type { SubscriptionRecord } from "./subscription.ts";
import type { SubscriptionQueries } from "./subscription-queries.ts";

/** An overview names the newest, no list of all. */
const TASKS_MAX = 20;

/** Those who look at once share one look. */
const RECENT_MS = 4_000;

/** A subscription whose payment has failed. */
export interface SubscriptionTask {
  readonly kind: "subscription_past_due";
  readonly id: string;
  /** The first failure. */
  readonly atMs: number;
  /** When the policy comes to its end; null where that changes nothing any more. */
  readonly dueAtMs: number | null;
}

/** What a merchant has to look at, newest first, as it was within the last seconds. Rejects with RelayError `unavailable`. */
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

function taskOf({ id, dunning, updatedAtMs }: SubscriptionRecord): SubscriptionTask {
  const dueAtMs = dunning === null || dunning.stays ? null : dunningCalendar(dunning).finalAtMs;
  return { kind: "subscription_past_due", id, atMs: dunning?.failedAtMs ?? updatedAtMs, dueAtMs };
}
