import type { DisputeSummary } from "./dispute-queries.ts";
import type { DisputeStats } from "./disputes.ts";

/** One scan of the index reads them, about 60 bytes each. Larger reports come from ClickHouse. */
export const DISPUTE_STATS_MAX = 10_000;

const SOON_MS = 3 * 86_400_000;

/** `complete` is false if there are more than were read. */
export function disputeStats(
  summaries: readonly DisputeSummary[],
  { atMs, month, complete }: { atMs: number; month: { fromMs: number; beforeMs: number }; complete: boolean },
): DisputeStats {
  const counts: Record<string, number> = {};
  const amountsMinor: Record<string, Record<string, number>> = {};
  const received = { count: 0, amountsMinor: {} as Record<string, number> };
  let dueSoon = 0;
  let escalated = 0;
  for (const { state, amountMinor, currency, respondByMs, receivedAtMs, hasAlert } of summaries) {
    counts[state] = (counts[state] ?? 0) + 1;
    const ofState = amountsMinor[state] ?? {};
    amountsMinor[state] = { ...ofState, [currency]: (ofState[currency] ?? 0) + amountMinor };
    if ((state === "OPEN" || state === "EVIDENCE_REQUIRED") && respondByMs > atMs && respondByMs <= atMs + SOON_MS) dueSoon += 1;
    if (hasAlert) escalated += 1;
    if (receivedAtMs >= month.fromMs && receivedAtMs < month.beforeMs) {
      received.count += 1;
      received.amountsMinor[currency] = (received.amountsMinor[currency] ?? 0) + amountMinor;
    }
  }
  const won = counts["WON"] ?? 0;
  const ended = won + (counts["LOST"] ?? 0) + (counts["EXPIRED"] ?? 0);
  return { counts, amountsMinor, dueSoon, winRate: ended === 0 ? null : won / ended, month: received, escalated, complete };
}
