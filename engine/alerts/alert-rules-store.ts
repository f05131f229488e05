import type { CommitPart } from "../kernel/commit-part.ts";
import { available, type Kv, type Operation } from "../kernel/kv.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import type { Stored } from "../kernel/stored.ts";
import type { AlertRecord } from "./alert.ts";
import { type AlertDay, type AlertRules, noRules } from "./alert-rules.ts";

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface AlertRulesStore {
  /** Without stored rules, returns rules that refund nothing, at version 0. */
  load(owner: MerchantScope): Promise<Stored<AlertRules>>;
  replace(rules: AlertRules, version: number): Promise<boolean>;
  day(owner: MerchantScope, day: string): Promise<Stored<AlertDay>>;
  /** For the commit of an alert that a rule decides. Checks that rules and sums are unchanged. */
  counted(owner: MerchantScope, day: string, before: { rules: Stored<AlertRules>; day: Stored<AlertDay> }, alert: AlertRecord): CommitPart;
}

const RULES = "alert-rules/";
const DAYS = "alert-day/";

/** No day is longer than this. */
const DAY_KEPT_MS = 7 * 86_400_000;

export function createAlertRulesStore(kv: Kv): AlertRulesStore {
  return {
    load: (owner) =>
      available(async () => {
        const entry = await kv.get(rulesKey(owner));
        if (entry === null) return { record: noRules(owner), version: 0 };
        return { record: readRecord<AlertRules>("alertRules", "rules for alerts", entry.value), version: entry.version };
      }),
    replace: (rules, version) =>
      available(async () => {
        const key = rulesKey(rules);
        const operations: Operation[] = [{ type: "put", key, value: recordText("alertRules", rules) }];
        return (await kv.commit({ checks: [{ key, version }], operations })).type === "committed";
      }),
    day: (owner, day) =>
      available(async () => {
        const entry = await kv.get(dayKey(owner, day));
        if (entry === null) return { record: { schema: 1, count: 0, amountMinor: 0 }, version: 0 };
        return { record: readRecord<AlertDay>("alertDay", "a day of rules for alerts", entry.value), version: entry.version };
      }),
    counted: (owner, day, before, { amountMinor, createdAtMs }) => {
      const key = dayKey(owner, day);
      const { count, amountMinor: sum } = before.day.record;
      const after: AlertDay = { schema: 1, count: count + 1, amountMinor: sum + amountMinor };
      return {
        checks: [
          { key: rulesKey(owner), version: before.rules.version },
          { key, version: before.day.version },
        ],
        operations: [{ type: "put", key, value: recordText("alertDay", after), expiresAtMs: createdAtMs + DAY_KEPT_MS }],
      };
    },
  };
}

function rulesKey({ merchantId, livemode }: MerchantScope): string {
  return `${RULES}${merchantId}/${livemode ? "live" : "test"}`;
}

function dayKey({ merchantId, livemode }: MerchantScope, day: string): string {
  return `${DAYS}${merchantId}/${livemode ? "live" : "test"}/${day}`;
}
