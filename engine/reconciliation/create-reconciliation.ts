import type { Clock } from "../kernel/clock.ts";
import type { DayCalendar } from "./calendar.ts";
import type { DaySummary, DaysQuery, Reconciliation } from "./reconciliation.ts";
import type { ReconciliationStore } from "./reconciliation-store.ts";

/** Creates the queries for closed days. */
export function createReconciliation({
  store,
  calendar,
  clock,
}: {
  store: ReconciliationStore;
  calendar: DayCalendar;
  clock: Pick<Clock, "nowMs">;
}): Reconciliation {
  /** Adds the closed days without any activity, from the merchant's first day to the last one. */
  async function withEmptyDays(merchantId: string, query: DaysQuery, active: readonly DaySummary[]): Promise<DaySummary[]> {
    const [firstDay, turn] = await Promise.all([store.firstDay(merchantId), store.turn()]);
    if (firstDay === null || turn === null) return [...active];
    const byDay = new Map(active.map((summary) => [summary.day, summary]));
    const first = query.from === null || query.from < firstDay ? firstDay : query.from;
    // While a day is being closed, some merchants already have it.
    const ends = [query.before === null ? null : calendar.after(query.before, -1), query.to];
    const lastClosed = [calendar.after(turn.record.day, -1), active[0]?.day ?? firstDay].sort().at(-1) ?? firstDay;
    const last = [lastClosed, ...ends.filter((day) => day !== null)].sort()[0] ?? lastClosed;
    const days: DaySummary[] = [];
    for (let day = last; day >= first && days.length < query.limit; day = calendar.after(day, -1)) {
      days.push(byDay.get(day) ?? { day, closedAtMs: null, totals: [], unknown: 0, conflicting: 0, corrections: 0 });
    }
    return days;
  }

  return {
    day: async ({ merchantId }, day) => {
      const found = await store.load(merchantId, day);
      if (found !== null) return found;
      const turn = await store.turn();
      // Days before the first closed one have no record and never get one.
      const isPast = day < (turn?.record.day ?? calendar.dayOf(clock.nowMs()));
      return isPast ? null : { type: "open", closesAtMs: calendar.closesAtMs(day) };
    },
    days: async ({ merchantId }, { activeOnly, ...query }) => {
      const wanted = { ...query, limit: query.limit + 1 };
      const active = await store.summaries(merchantId, wanted);
      const found = activeOnly ? active : await withEmptyDays(merchantId, wanted, active);
      const items = found.slice(0, query.limit);
      return { items, next: found.length > query.limit ? (items.at(-1)?.day ?? null) : null };
    },
    ofPartner: async (partnerId, day, { limit, after }) => {
      const turn = await store.turn();
      // During closing only some merchants have the day, and a caller would take them for all.
      if (turn === null || day >= turn.record.day) return { items: [], next: null };
      const found = await store.merchantsOf(partnerId, day, after, limit + 1);
      const wanted = found.slice(0, limit);
      const days = await Promise.all(wanted.map((merchantId) => store.load(merchantId, day)));
      return { items: days.filter((one) => one !== null), next: found.length > limit ? (wanted.at(-1) ?? null) : null };
    },
  };
}
