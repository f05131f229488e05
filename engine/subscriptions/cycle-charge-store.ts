import type { CommitPart } from "../kernel/commit-part.ts";
import { available, type Kv, prefixRange } from "../kernel/kv.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import type { Transition } from "../workflow/workflow.ts";
import { isUnpaid, pendingOf } from "./rules.ts";
import type { CycleCharge, SubscriptionRecord } from "./subscription.ts";

export const SUBSCRIPTION_CHARGES = "subscription-charge/";

const CYCLE_DIGITS = 5;

/** Requests contain ids that nobody has validated. */
const ID = /^sub_[a-z0-9]{24}$/;

/** The payments of subscriptions, stored as `subscription-charge/<id>/<5 digits of the cycle>`. */
export interface CycleChargeStore {
  /**
   * Returns the payments of a subscription, the latest cycle first, optionally only those before a
   * cycle. Rejects with RelayError `unavailable` if the store cannot respond.
   */
  charges(id: string, beforeCycle: number | null, limit: number): Promise<readonly CycleCharge[]>;
}

export function createCycleChargeStore(kv: Kv): CycleChargeStore {
  return {
    charges: (id, beforeCycle, limit) =>
      available(async () => {
        if (!ID.test(id)) return [];
        const { from, to } = prefixRange(`${SUBSCRIPTION_CHARGES}${id}/`);
        const entries = await kv.scan({ from, to: beforeCycle === null ? to : chargeKey(id, beforeCycle), limit, reverse: true });
        return entries.map(({ key, value }) => readBareRecord<CycleCharge>("subscriptionCharge", key, value));
      }),
  };
}

/** Returns the entries of the current cycle's payment for the commit of its subscription. */
export function chargeEntries(
  { before, record, atMs }: Transition<SubscriptionRecord>,
  hasEnded: boolean,
  retentionMs: number,
): CommitPart["operations"] {
  const { id, charge } = record;
  if (charge === null || (charge === before?.charge && !hasEnded)) return [];
  // A payment that may still be made has no expiry, like its subscription, whose commits write it
  // again.
  const mayChange = !hasEnded && (isUnpaid(record) || pendingOf(record) !== null);
  const until = mayChange ? {} : { expiresAtMs: Math.max(atMs, charge.period.untilMs) + retentionMs };
  return [{ type: "put", key: chargeKey(id, charge.cycle), value: recordText("subscriptionCharge", charge), ...until }];
}

function chargeKey(id: string, cycle: number): string {
  return `${SUBSCRIPTION_CHARGES}${id}/${String(Math.max(0, Math.floor(cycle))).padStart(CYCLE_DIGITS, "0")}`;
}
