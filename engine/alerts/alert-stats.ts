import type { AlertRecord } from "./alert.ts";
import type { AlertSummary } from "./alert-queries.ts";
import type { AlertStats } from "./alerts.ts";

/** One scan of the index reads them, about 40 bytes each. Larger reports come from ClickHouse. */
export const ALERT_STATS_MAX = 10_000;

/** Most alerts must be decided within a day, and a shop has few at once. */
export const ALERTS_DUE_MAX = 200;

const SOON_MS = 3 * 86_400_000;

/** `complete` is false if there are more than were read. */
export function alertStats(
  summaries: readonly AlertSummary[],
  due: readonly Pick<AlertRecord, "respondByMs">[],
  { atMs, complete }: { atMs: number; complete: boolean },
): AlertStats {
  const counts: Record<string, number> = {};
  const amountsMinor: Record<string, Record<string, number>> = {};
  let invalid = 0;
  for (const { state, amountMinor, currency, wasInvalid } of summaries) {
    counts[state] = (counts[state] ?? 0) + 1;
    const ofState = amountsMinor[state] ?? {};
    amountsMinor[state] = { ...ofState, [currency]: (ofState[currency] ?? 0) + amountMinor };
    if (wasInvalid) invalid += 1;
  }
  const dueSoon = due.filter(({ respondByMs }) => respondByMs > atMs && respondByMs <= atMs + SOON_MS).length;
  const prevented = (counts["REFUNDED"] ?? 0) + (counts["PREVENTED"] ?? 0);
  const ended = prevented + (counts["DECLINED"] ?? 0) - invalid;
  return { counts, amountsMinor, preventionRate: ended === 0 ? null : prevented / ended, dueSoon, complete };
}
