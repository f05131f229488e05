import type { AlertRecord } from "./alert.ts";
import { type AlertDay, type AlertRule, type AlertRuleSet, hasRoomToday, matchingRule } from "./alert-rules.ts";

export const DRY_RUN_MS = 90 * 86_400_000;
/** The newest alerts are tried. */
export const DRY_RUN_MAX = 2_000;

export interface DryRunItem {
  readonly alert: AlertRecord;
  readonly rule: AlertRule;
  /** The limits of the day were reached, so the alert would not be refunded. */
  readonly capped: boolean;
}

export interface DryRun {
  readonly fromMs: number;
  readonly looked: number;
  /** The newest come first. */
  readonly items: readonly DryRunItem[];
  /** False if there are more than DRY_RUN_MAX. */
  readonly complete: boolean;
}

/** Applies rules even if they are off. It ignores disputes, earlier refunds and the gateway. */
export function dryRun(rules: AlertRuleSet, newestFirst: readonly AlertRecord[], dayOf: (atMs: number) => string): DryRunItem[] {
  const days = new Map<string, AlertDay>();
  const items: DryRunItem[] = [];
  for (const alert of [...newestFirst].reverse()) {
    // An unknown payment cannot be refunded.
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
