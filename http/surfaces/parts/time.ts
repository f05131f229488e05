import { DateTime, IANAZone } from "luxon";
import { RelayError } from "../../../engine/kernel/errors.ts";

/** Offsets change at quarter hours at the earliest, so one look-up serves all times of a quarter hour. */
const QUARTER_HOUR_MS = 900_000;
const OFFSETS_MAX = 10_000;

/** Two reports of 400 days and those that they are compared with. A day's look-up takes some 0.2 ms, so two years of them would hold a thread for 140 ms each time. */
const DAYS_MAX = 1_600;

/** No time zone changes its clocks twice within this time. */
const BEFORE_MIDNIGHT_MS = 6 * 3_600_000;

/** Local times and days of the interface, in the installation's time zone (`RELAY_TIME_ZONE`). */
export interface LocalTime {
  /** ISO 8601 local date-time without zone, to the millisecond. */
  format(atMs: number): string;
  /** The day's first millisecond and the first of the next day, or null for a text that is not a day (`YYYY-MM-DD`). */
  dayRange(day: string): { fromMs: number; untilMs: number } | null;
  /** The day of a time. */
  dayOf(atMs: number): string;
  /**
   * When the clocks of a day show what they show at a time; within the day. A time that the day skips is the one that its clocks show instead, and of a time
   * that it has twice it is the first.
   */
  sameTimeOn(day: string, atMs: number): number | null;
  /** How far the zone's clocks are ahead of UTC at a time, in milliseconds. */
  offsetMs(atMs: number): number;
  /** IANA name of the time zone. */
  readonly zone: string;
}

/** The day so many days after another (before it, where the number is negative). */
export function daysAfter(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: "utc" }).plus({ days }).toISODate() ?? day;
}

export function createLocalTime(zoneName: string): LocalTime {
  let known: IANAZone | null = null;
  /** Made for the first time that is shown: the look-up of its rules takes a thread some 15 ms. */
  const zone = () => {
    known ??= IANAZone.create(zoneName);
    return known;
  };
  const offsets = new Map<number, number>();

  function offsetMs(atMs: number): number {
    const quarter = Math.floor(atMs / QUARTER_HOUR_MS);
    const found = offsets.get(quarter);
    if (found !== undefined) return found;
    if (offsets.size >= OFFSETS_MAX) offsets.clear();
    const offset = zone().offset(quarter * QUARTER_HOUR_MS) * 60_000;
    offsets.set(quarter, offset);
    return offset;
  }

  /** The first of two midnights where clocks are turned back to it (Azores, Havana): the hour between them is of this day, and of no other. */
  function startOf(day: DateTime): number {
    const midnight = day.startOf("day").toMillis();
    const turnedBackMs = Math.max(0, zone().offset(midnight - BEFORE_MIDNIGHT_MS) - zone().offset(midnight)) * 60_000;
    const earlier = midnight - turnedBackMs;
    return DateTime.fromMillis(earlier, { zone: zone() }).hasSame(day, "day") ? earlier : midnight;
  }

  const format = (atMs: number) => new Date(atMs + offsetMs(atMs)).toISOString().slice(0, -1);

  const ranges = new Map<string, { fromMs: number; untilMs: number }>();

  function dayRange(day: string): { fromMs: number; untilMs: number } | null {
    const found = ranges.get(day);
    if (found !== undefined) return found;
    const range = rangeOf(day);
    // What is no day is asked for once, and by whoever likes.
    if (range === null) return null;
    if (ranges.size >= DAYS_MAX) ranges.clear();
    ranges.set(day, range);
    return range;
  }

  function rangeOf(day: string): { fromMs: number; untilMs: number } | null {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return null;
    const start = DateTime.fromISO(day, { zone: zone() });
    if (!start.isValid) return null;
    return { fromMs: startOf(start), untilMs: startOf(start.plus({ days: 1 })) };
  }

  let quarterOfDay = Number.NaN;
  let latestDay = "";

  /** Days begin with a quarter hour, so the latest one answers nearly all questions of what happens now. */
  function dayOf(atMs: number): string {
    const quarter = Math.floor(atMs / QUARTER_HOUR_MS);
    if (quarter !== quarterOfDay) {
      latestDay = format(atMs).slice(0, "YYYY-MM-DD".length);
      quarterOfDay = quarter;
    }
    return latestDay;
  }

  return {
    format,
    dayRange,
    dayOf,
    sameTimeOn: (day, atMs) => {
      const range = dayRange(day);
      if (range === null) return null;
      const timeOfDay = format(atMs).slice("YYYY-MM-DDT".length);
      // By the clocks as they are when the day begins, and as they are when it ends.
      const [asBegun = 0, asEnded = 0] = [range.fromMs, range.untilMs].map(
        (edgeMs) => Date.parse(`${day}T${timeOfDay}Z`) - zone().offset(edgeMs) * 60_000,
      );
      const [first = asBegun] = [asBegun, asEnded].filter((ms) => format(ms) === `${day}T${timeOfDay}`).sort((one, other) => one - other);
      return Math.min(Math.max(first, range.fromMs), range.untilMs);
    },
    offsetMs,
    zone: zoneName,
  };
}

/** ClickHouse's dates end in 2149; a day beyond either end would be another one there. */
export const FIRST_DAY = "1970-01-02";
export const LAST_DAY = "2148-12-31";

/** A day of a query, as far as a pattern can tell it. That a month has the day is looked up. */
export const DAY = {
  pattern: "^(?:19[7-9][0-9]|20[0-9]{2}|21[0-3][0-9]|214[0-8])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$",
  examples: ["2026-11-26"],
  errorMessage: `is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`,
};

/** Whether a text of this form is a day of the calendar, in the range. */
export function isCalendarDay(day: string): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** First millisecond of a day of the query, and the first of the next. Throws RelayError `invalid_request`. */
export function dayOfQuery(member: string, day: string, localTime: LocalTime): { fromMs: number; untilMs: number } {
  const range = day < FIRST_DAY || day > LAST_DAY ? null : localTime.dayRange(day);
  if (range === null) throw new RelayError("invalid_request", `${member}: is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`);
  return range;
}

/** The range of `from` and `to`, both included; open where one is absent. Throws RelayError `invalid_request`. */
export function rangeOfQuery(query: { from?: string; to?: string }, localTime: LocalTime): { fromMs?: number; untilMs?: number } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined && from > to) throw new RelayError("invalid_request", "from: is after to");
  return {
    ...(from === undefined ? {} : { fromMs: dayOfQuery("from", from, localTime).fromMs }),
    ...(to === undefined ? {} : { untilMs: dayOfQuery("to", to, localTime).untilMs }),
  };
}
