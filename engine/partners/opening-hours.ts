import { RelayError } from "../kernel/errors.ts";

/** Three intervals a day are more than shops have. */
export const OPENING_INTERVALS_MAX = 21;

/** A time of the clock; `24:00` ends a day. */
export const OPENING_TIME_PATTERN = "^(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]|24:00)$";

const TIME = new RegExp(OPENING_TIME_PATTERN);
const DAY_MINUTES = 1_440;
export const WEEK_MINUTES = 7 * DAY_MINUTES;

/** A time in which a shop is open, by the clocks of the installation. */
export interface OpeningInterval {
  /** The day on which it begins: 1 is Monday, 7 is Sunday. */
  readonly weekday: number;
  readonly from: string;
  /** An end before the beginning is on the next day. */
  readonly to: string;
}

/**
 * Returns the intervals in order. Throws RelayError `invalid_request` for intervals that are empty
 * or overlap.
 */
export function openingHoursOf(given: readonly OpeningInterval[]): readonly OpeningInterval[] {
  if (given.length > OPENING_INTERVALS_MAX) throw refused(`may have at most ${OPENING_INTERVALS_MAX} items`);
  for (const { weekday, from, to } of given) {
    if (!Number.isInteger(weekday) || weekday < 1 || weekday > 7) throw refused("`weekday` is a number from 1 (Monday) to 7 (Sunday)");
    if (!TIME.test(from) || !TIME.test(to) || from === "24:00") throw refused("`from` and `to` are times such as 08:30");
    if (from === to) throw refused(`the interval from ${from} to ${to} is empty; a whole day is 00:00 to 24:00`);
  }
  const sorted = [...given].sort((one, other) => minutesOf(one).from - minutesOf(other).from);
  const all = sorted.map(minutesOf);
  const isOverlap = all.some((one, index) => {
    const next = all[index + 1] ?? { from: (all[0]?.from ?? 0) + WEEK_MINUTES };
    return next.from < one.to;
  });
  if (isOverlap) throw refused("two intervals overlap");
  return sorted.map(({ weekday, from, to }) => ({ weekday, from, to }));
}

/** Returns whether a shop with these hours is open at a minute of the week, which begins on Monday. */
export function isOpenAt(hours: readonly OpeningInterval[], minuteOfWeek: number): boolean {
  return hours.map(minutesOf).some(({ from, to }) => {
    // An interval of Sunday night reaches into Monday.
    return (minuteOfWeek >= from && minuteOfWeek < to) || minuteOfWeek + WEEK_MINUTES < to;
  });
}

/** Returns the intervals of whole hours of the week: 0 is the first hour of Monday, 167 the last of Sunday. */
export function openingHoursOfHours(hours: ReadonlySet<number>): readonly OpeningInterval[] {
  const found: OpeningInterval[] = [];
  for (let day = 0; day < 7; day += 1) {
    for (let hour = 0; hour < 24; hour += 1) {
      if (!hours.has(day * 24 + hour)) continue;
      const first = hour;
      while (hour < 23 && hours.has(day * 24 + hour + 1)) hour += 1;
      found.push({ weekday: day + 1, from: timeText(first), to: timeText(hour + 1) });
    }
  }
  return found;
}

/** Returns the minutes of the week of an interval. Its end may lie in the next week. */
function minutesOf({ weekday, from, to }: OpeningInterval): { from: number; to: number } {
  const day = (weekday - 1) * DAY_MINUTES;
  const [begin, end] = [minuteOfDay(from), minuteOfDay(to)];
  return { from: day + begin, to: day + end + (end <= begin ? DAY_MINUTES : 0) };
}

function minuteOfDay(time: string): number {
  const [hour = 0, minute = 0] = time.split(":").map(Number);
  return hour * 60 + minute;
}

function timeText(hour: number): string {
  return `${String(hour).padStart(2, "0")}:00`;
}

function refused(why: string): RelayError {
  return new RelayError("invalid_request", `hours: ${why}`);
}
