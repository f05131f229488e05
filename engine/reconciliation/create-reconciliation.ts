import type { Clock } from "../kernel/clock.ts";
import type { DayCalendar } from "./calendar.ts";
import type { Reconciliation } from "./reconciliation.ts";
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
  return {
    day: async ({ merchantId }, day) => {
      const found = await store.load(merchantId, day);
      if (found !== null) return found;
      const turn = await store.turn();
      // Days before the first closed one have no record and never get one.
      const isPast = day < (turn?.record.day ?? calendar.dayOf(clock.nowMs()));
      return isPast ? null : { type: "open", closesAtMs: calendar.closesAtMs(day) };
    },
    days: async ({ merchantId }, { limit, ...query }) => {
      const found = await store.summaries(merchantId, { ...query, limit: limit + 1 });
      const items = found.slice(0, limit);
      return { items, next: found.length > limit ? (items.at(-1)?.day ?? null) : null };
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
