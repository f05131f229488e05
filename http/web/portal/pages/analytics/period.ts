import { addDays, type Day, dayCount, firstOfMonth, today } from "../../i18n/days.ts";
import { isDay } from "../../i18n/is-day.ts";

/** Those that are offered by a word. Without a choice it is the last 30 days. */
export const PRESETS = ["today", "week", "month", "thisMonth", "lastMonth", "thisYear"] as const;
export type Preset = (typeof PRESETS)[number];

/** As REPORT_DAYS_MAX and HOURLY_DAYS_MAX of the interface, which decides; this is to say so before anything is asked. */
export const DAYS_MAX = 400;
export const HOURLY_DAYS_MAX = 7;

export interface Days {
  from: Day;
  to: Day;
}

/** The days that a person means by a word. */
export function daysOfPreset(preset: Preset): Days {
  const now = today();
  switch (preset) {
    case "today":
      return { from: now, to: now };
    case "week":
      return { from: addDays(now, -6), to: now };
    case "month":
      return { from: addDays(now, -29), to: now };
    case "thisMonth":
      return { from: firstOfMonth(now), to: now };
    case "lastMonth":
      return { from: firstOfMonth(now, -1), to: addDays(firstOfMonth(now), -1) };
    case "thisYear":
      return { from: `${now.slice(0, 4)}-01-01`, to: now };
  }
}

/** The days of the address; what is no day there is as if it were absent. */
export function daysOf({ from = "", to = "" }: { from?: string; to?: string }): Days {
  const usual = daysOfPreset("month");
  if (isDay(from)) return { from, to: isDay(to) ? to : usual.to };
  return isDay(to) ? { from: addDays(to, -29), to } : usual;
}

/** The word for these days; on the first of a month two words may fit, and the first one is said. */
export function presetOf({ from, to }: Days): Preset | null {
  return (
    PRESETS.find((preset) => {
      const days = daysOfPreset(preset);
      return days.from === from && days.to === to;
    }) ?? null
  );
}

/** Why nothing can be asked of these days. Days to come have nothing, which the relay says: the clock of a browser may be wrong. */
export function problemOf({ from, to }: Days): "reversed" | "long" | null {
  if (from > to) return "reversed";
  return dayCount(from, to) > DAYS_MAX ? "long" : null;
}
