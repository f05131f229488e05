import { timeZone } from "../state/time-zone.ts";
import { isDay } from "./is-day.ts";
import { locale } from "./texts.ts";

const DAY_MS = 86_400_000;

/** A day as `YYYY-MM-DD`, the form that the interface and date fields use. */
export type Day = string;

/** Returns the current day in the installation's time zone. */
export function today(): Day {
  const parts = new Intl.DateTimeFormat("en", { timeZone: timeZone.value, year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date())
    .map(({ type, value }) => [type, value] as const);
  const { year, month, day } = Object.fromEntries(parts);
  return `${year}-${month}-${day}`;
}

/** Returns the current hour in the installation's time zone, from 0 to 23. */
export function hourNow(): number {
  return Number(new Intl.DateTimeFormat("en", { timeZone: timeZone.value, hour: "2-digit", hourCycle: "h23" }).format(new Date()));
}

/** Adds calendar days, regardless of clock changes. */
export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Formats a day for small spaces: `Thu 26 Nov 2026`. */
export function formatShortDay(day: Day): string {
  return written(day, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

/** Formats a day as `Thursday 26 November 2026`. A day has no time zone. */
export function formatDay(day: Day): string {
  return written(day, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

function written(day: Day, parts: Intl.DateTimeFormatOptions): string {
  return forms(parts).format(noon(day));
}

/**
 * Counts the days between two days, including both. The result is zero or negative if the second
 * day is before the first.
 */
export function dayCount(from: Day, to: Day): number {
  return Math.round((Date.parse(`${to}T12:00:00Z`) - Date.parse(`${from}T12:00:00Z`)) / DAY_MS) + 1;
}

/** Returns the first day of the month, or of the month that many months later. */
export function firstOfMonth(day: Day, monthsLater = 0): Day {
  const [year = 1970, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 + monthsLater, 1, 12)).toISOString().slice(0, 10);
}

/** Returns the same day of the month that many months later, or the last day of a shorter one. */
export function addMonths(day: Day, months: number): Day {
  const first = firstOfMonth(day, months);
  const sameDay = `${first.slice(0, 8)}${day.slice(8)}`;
  const last = addDays(firstOfMonth(first, 1), -1);
  return sameDay > last ? last : sameDay;
}

/** Formats a day as people type it in a field: `26/11/2026`. Both languages put the day first. */
export function formatDayInput(day: Day): string {
  return day.split("-").reverse().join("/");
}

/** Parses a day as people type it. Returns null for a day that does not exist. */
export function parseDay(written: string): Day | null {
  const compact = written.trim();
  const [, day = "", month = "", year = ""] = /^(\d{1,2})[/. -](\d{1,2})[/. -](\d{4})$/.exec(compact) ?? [];
  const wanted = year === "" ? compact : `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  // A date that does not exist, such as 31 February, would continue in the next month.
  return isDay(wanted) && addDays(wanted, 0) === wanted ? wanted : null;
}

/**
 * Caches formatters, because they are slow to create and a chart of a year needs hundreds of them.
 */
const made = new Map<string, Intl.DateTimeFormat>();

function forms(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const tag = locale.value === "it" ? "it-IT" : "en-GB";
  const key = `${tag} ${JSON.stringify(options)}`;
  const format = made.get(key) ?? new Intl.DateTimeFormat(tag, { ...options, timeZone: "UTC" });
  made.set(key, format);
  return format;
}

const noon = (day: Day) => Date.parse(`${day}T12:00:00Z`);

/** Formats a day without its year: `26 Nov`. */
export function formatDayOfYear(day: Day): string {
  return forms({ day: "numeric", month: "short" }).format(noon(day));
}

/** Formats the weekday of a day: `Thursday`, or `Thu` in small spaces. */
export function formatWeekday(day: Day, width: "long" | "short"): string {
  return forms({ weekday: width }).format(noon(day));
}

/** Formats a month: `November 2026`, or `Nov 26` in small spaces. */
export function formatMonth(day: Day, { short = false }: { short?: boolean } = {}): string {
  return forms(short ? { month: "short", year: "2-digit" } : { month: "long", year: "numeric" }).format(noon(day));
}

/**
 * Formats a range of days: `1–26 Nov 2026`, `28 Oct – 26 Nov 2026`. Both languages put the day
 * first. `Intl` formats ranges less consistently.
 */
export function formatDays(from: Day, to: Day): string {
  const whole = (day: Day) => forms({ day: "numeric", month: "short", year: "numeric" }).format(noon(day));
  if (from === to) return whole(from);
  if (from.slice(0, 7) === to.slice(0, 7)) return `${Number(from.slice(8))}–${whole(to)}`;
  return `${from.slice(0, 4) === to.slice(0, 4) ? formatDayOfYear(from) : whole(from)} – ${whole(to)}`;
}
