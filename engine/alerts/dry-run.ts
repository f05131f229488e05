import type { AlertRecord } from "./alert.ts";
import { type AlertDay, type AlertRule, type AlertRuleSet, hasRoomToday, matchingRule } from "./alert-rules.ts";

/** So far back rules are tried. */
export const DRY_RUN_MS = 90 * 86_400_000;
/** Alerts that they are tried on at most, the newest of them. */
export const DRY_RUN_MAX = 2_000;

/** What rules would have done with an alert. */
export interface DryRunItem {
  readonly alert: AlertRecord;
  readonly rule: AlertRule;
  /** The day's limits were reached: it would not have been refunded. */
  readonly capped: boolean;
}

export interface DryRun {
  readonly fromMs: number;
  readonly looked: number;
  /** Those that match a rule, newest first. */
  readonly items: readonly DryRunItem[];
  /** False where there are more than DRY_RUN_MAX. */
  readonly complete: boolean;
}

/**
 * What rules would have done with alerts as these came, whether they are on or not. It says nothing of what else decides: payments under dispute, refunded before or otherwise, and what the
 * gateway says.
 */
export function dryRun(rules: AlertRuleSet, newestFirst: readonly AlertRecord[], dayOf: (atMs: number) => string): DryRunItem[] {
  const days = new Map<string, AlertDay>();
  const items: DryRunItem[] = [];
  for (const alert of [...newestFirst].reverse()) {
    // Of a payment that is not known, nothing is given back.
    const rule = alert.uuid === null ? null : matchingRule({ ...rules, enabled: true }, alert);
    if (rule === null) continue;
    const day = dayOf(alert.createdAtMs);
    const before: AlertDay = days.get(day) ?? { schema: 1, count: 0, amountMinor: 0 };
    const capped = !hasRoomToday(rules, before, alert);
    if (!capped) days.set(day, { schema: 1, count: before.count + 1, amountMinor: before.amountMinor + alert.amountMinor });
    items.push({ alert, rule, capped });
  }
  return items.reverse();
}
