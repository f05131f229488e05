import { DateTime, IANAZone } from "luxon";
import { RelayError } from "../../../engine/kernel/errors.ts";

/** Offsets change at quarter hours at the earliest, so one lookup serves a whole quarter hour. */
const QUARTER_HOUR_MS = 900_000;
const OFFSETS_MAX = 10_000;

/**
 * Two reports of 400 days and the periods they are compared with. The lookup of a day takes about
 * 0.2 ms, so without a cache two years would block a thread for 140 ms each time.
 */
const DAYS_MAX = 1_600;

/** No time zone changes its clocks twice within this time. */
const BEFORE_MIDNIGHT_MS = 6 * 3_600_000;

/**
 * The local times and days of the interface, in the installation's time zone (`RELAY_TIME_ZONE`).
 */
export interface LocalTime {
  /** ISO 8601 local date and time without zone, with milliseconds. */
  format(atMs: number): string;
  /**
   * Returns the first millisecond of the day and of the next day, or null if the text is not a day
   * (`YYYY-MM-DD`).
   */
  dayRange(day: string): { fromMs: number; untilMs: number } | null;
  dayOf(atMs: number): string;
  /**
   * Returns the moment of the day at which its clocks show the same time of day as at `atMs`. If
   * the day skips that time, it is the moment at which the clocks have moved past it. If the day
   * has that time twice, it is the first.
   */
  sameTimeOn(day: string, atMs: number): number | null;
  /** The offset of the zone's clocks from UTC at a time, in milliseconds. */
  offsetMs(atMs: number): number;
  /** The IANA name of the time zone. */
  readonly zone: string;
}

/** Adds days to a day; a negative number subtracts them. */
export function daysAfter(day: string, days: number): string {
  return DateTime.fromISO(day, { zone: "utc" }).plus({ days }).toISODate() ?? day;
}

export function createLocalTime(zoneName: string): LocalTime {
  let known: IANAZone | null = null;
  /**
   * Created for the first time that is formatted, because loading the zone's rules takes about 15
   * ms.
   */
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

  /**
   * Returns the first of two midnights if the clocks are turned back to midnight (Azores, Havana).
   * The repeated hour belongs to this day only.
   */
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
    // Invalid days are not cached, because a caller may send any number of them.
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

  /**
   * Days start at a quarter hour, so the latest range answers nearly all calls for the current
   * time.
   */
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
      // Tries the offset at the start of the day and the offset at its end.
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

/**
 * Dates of ClickHouse end in 2149. A day outside these bounds would become a different one there.
 */
export const FIRST_DAY = "1970-01-02";
export const LAST_DAY = "2148-12-31";

/**
 * A day of a query, as far as a pattern can check it. `isCalendarDay` checks that the month has the
 * day.
 */
export const DAY = {
  pattern: "^(?:19[7-9][0-9]|20[0-9]{2}|21[0-3][0-9]|214[0-8])-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$",
  examples: ["2026-11-26"],
  errorMessage: `is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`,
};

/** Returns true for an existing calendar day within the range. */
export function isCalendarDay(day: string): boolean {
  return day >= FIRST_DAY && day <= LAST_DAY && new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/**
 * Returns the first millisecond of a day of the query and of the next day. Throws RelayError
 * `invalid_request`.
 */
export function dayOfQuery(member: string, day: string, localTime: LocalTime): { fromMs: number; untilMs: number } {
  const range = day < FIRST_DAY || day > LAST_DAY ? null : localTime.dayRange(day);
  if (range === null) throw new RelayError("invalid_request", `${member}: is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`);
  return range;
}

/**
 * Returns the range from `from` to `to`, including both. It is open on a side that is absent.
 * Throws RelayError `invalid_request`.
 */
export function rangeOfQuery(query: { from?: string; to?: string }, localTime: LocalTime): { fromMs?: number; untilMs?: number } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined && from > to) throw new RelayError("invalid_request", "from: is after to");
  return {
    ...(from === undefined ? {} : { fromMs: dayOfQuery("from", from, localTime).fromMs }),
    ...(to === undefined ? {} : { untilMs: dayOfQuery("to", to, localTime).untilMs }),
  };
}
