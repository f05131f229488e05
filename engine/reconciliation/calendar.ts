import type { DayBounds } from "./reconciliation-rows.ts";

/** Days of the installation's time zone. */
export interface DayCalendar {
  readonly timeZone: string;
  dayOf(atMs: number): string;
  boundsOf(day: string): DayBounds;
  /** The day so many days after another. */
  after(day: string, days: number): string;
  /** When a day is closed: 03:00 local on the day after next. */
  closesAtMs(day: string): number;
}
