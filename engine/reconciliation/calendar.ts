import type { DayBounds } from "./reconciliation-rows.ts";

/** Calculates days in the installation's time zone. */
export interface DayCalendar {
  readonly timeZone: string;
  dayOf(atMs: number): string;
  boundsOf(day: string): DayBounds;
  /** Returns the day that is this many days after another. */
  after(day: string, days: number): string;
  /** Returns when a day is closed: at 03:00 local time on the day after next. */
  closesAtMs(day: string): number;
}
