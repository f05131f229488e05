import { addDays, type Day, dayCount, firstOfMonth, today } from "../../i18n/days.ts";
import { isDay } from "../../i18n/is-day.ts";

/** The periods that can be chosen by name. The default is the last 30 days. */
export const PRESETS = ["today", "week", "month", "thisMonth", "lastMonth", "thisYear"] as const;
export type Preset = (typeof PRESETS)[number];

/**
 * These equal REPORT_DAYS_MAX and HOURLY_DAYS_MAX of the interface, which makes the decision. The
 * page checks them to show a mistake before it sends a request.
 */
export const DAYS_MAX = 400;
export const HOURLY_DAYS_MAX = 7;

export interface Days {
  from: Day;
  to: Day;
}

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

/** Returns the days of the address, or the default if they are not valid. */
export function daysOf({ from = "", to = "" }: { from?: string; to?: string }): Days {
  const usual = daysOfPreset("month");
  if (isDay(from)) return { from, to: isDay(to) ? to : usual.to };
  return isDay(to) ? { from: addDays(to, -29), to } : usual;
}

/**
 * Returns the name of these days. Two names may match on the first of a month; the first one is
 * used.
 */
export function presetOf({ from, to }: Days): Preset | null {
  return (
    PRESETS.find((preset) => {
      const days = daysOfPreset(preset);
      return days.from === from && days.to === to;
    }) ?? null
  );
}

/**
 * Returns why the days are not valid. Only the relay decides about future days, because a browser's
 * clock may be wrong.
 */
export function problemOf({ from, to }: Days): "reversed" | "long" | null {
  if (from > to) return "reversed";
  return dayCount(from, to) > DAYS_MAX ? "long" : null;
}
