import { addDays, today } from "../i18n/days.ts";

/** The periods that a list offers by name, in the order of the choice. */
export const PERIODS = ["today", "yesterday", "week", "month", "all"] as const;

export type Period = (typeof PERIODS)[number] | "other";

/** Returns the days of a named period; null for all. */
export function daysOf(period: Exclude<Period, "other">): { from: string | null; to: string | null } {
  const now = today();
  switch (period) {
    case "today":
      return { from: now, to: now };
    case "yesterday":
      return { from: addDays(now, -1), to: addDays(now, -1) };
    case "week":
      return { from: addDays(now, -6), to: now };
    case "month":
      return { from: addDays(now, -29), to: now };
    case "all":
      return { from: null, to: null };
  }
}

export function periodOf({ from = null, to = null }: { from?: string | null; to?: string | null }): Period {
  const known = PERIODS.find((period) => {
    const days = daysOf(period);
    return days.from === from && days.to === to;
  });
  return known ?? "other";
}
