import { DateTime } from "luxon";
import type { ClockOffset } from "../../../../engine/reports/merchant-reports.ts";
import { daysAfter, type LocalTime } from "../../parts/time.ts";
import type { Granularity } from "./schemas.ts";

const HOUR_MS = 3_600_000;
/** Clocks change only at whole quarters of an hour. */
const QUARTER_HOUR_MS = 900_000;

/** One point of a series: a part of a local day, one day or several. */
export interface Bucket {
  fromMs: number;
  /** The first millisecond after the bucket. */
  untilMs: number;
  /** The first and the last day of the bucket. */
  from: string;
  to: string;
}

/**
 * Divides local days into buckets, in order and without a gap. A day has 23 to 25 hours where
 * clocks change; an hour that occurs twice gives two buckets, and a clock change within an hour
 * divides it. Weeks (from Monday) and months contain only the days of the range.
 */
export function bucketsOf({ from, to }: { from: string; to: string }, granularity: Granularity, localTime: LocalTime): Bucket[] {
  const days = daysOf(from, to, localTime);
  if (granularity === "hour") return days.flatMap((day) => hoursOf(day, localTime));
  const buckets: Bucket[] = [];
  let last = "";
  for (const day of days) {
    const name = nameOf(day.from, granularity);
    const bucket = buckets.at(-1);
    if (bucket === undefined || name !== last) buckets.push({ ...day });
    else {
      bucket.untilMs = day.untilMs;
      bucket.to = day.to;
    }
    last = name;
  }
  return buckets;
}

/** Returns the start of each bucket and the end of the last one. */
export function edgesOf(buckets: readonly Bucket[]): number[] {
  return [...buckets.map(({ fromMs }) => fromMs), ...buckets.slice(-1).map(({ untilMs }) => untilMs)];
}

/** Returns a local time with its offset, such as `2026-10-25T02:00:00+01:00`. */
export function withOffset(atMs: number, localTime: LocalTime): string {
  const offset = Math.round(localTime.offsetMs(atMs) / 60_000);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((part) => String(part).padStart(2, "0"));
  return `${localTime.format(atMs).slice(0, "YYYY-MM-DDTHH:MM:SS".length)}${offset < 0 ? "-" : "+"}${hours}:${minutes}`;
}

/** Returns how far the clocks are ahead of UTC from each time on, within a range. */
export function clockOffsets(fromMs: number, untilMs: number, localTime: LocalTime): ClockOffset[] {
  const offsets: ClockOffset[] = [];
  for (let atMs = fromMs; atMs < untilMs; atMs += QUARTER_HOUR_MS) {
    const offsetMs = localTime.offsetMs(atMs);
    if (offsets.at(-1)?.offsetMs !== offsetMs) offsets.push({ fromMs: atMs, offsetMs });
  }
  return offsets;
}

/** Returns the day of the week; 1 is Monday. */
export function weekdayOf(day: string): number {
  return DateTime.fromISO(day, { zone: "utc" }).weekday;
}

/** Skips a day that a time zone omits, as Samoa did once. */
function daysOf(from: string, to: string, localTime: LocalTime): Bucket[] {
  const days: Bucket[] = [];
  for (let day = from; day <= to; day = daysAfter(day, 1)) {
    const range = localTime.dayRange(day);
    if (range !== null && range.fromMs < range.untilMs && localTime.dayOf(range.fromMs) === day)
      days.push({ ...range, from: day, to: day });
  }
  return days;
}

function hoursOf(day: Bucket, localTime: LocalTime): Bucket[] {
  const starts: number[] = [];
  let offset = Number.NaN;
  for (let atMs = day.fromMs; atMs < day.untilMs; atMs += QUARTER_HOUR_MS) {
    const now = localTime.offsetMs(atMs);
    if (now !== offset || (atMs + now) % HOUR_MS === 0) starts.push(atMs);
    offset = now;
  }
  return starts.map((fromMs, index) => ({ ...day, fromMs, untilMs: starts[index + 1] ?? day.untilMs }));
}

function nameOf(day: string, granularity: Exclude<Granularity, "hour">): string {
  if (granularity === "day") return day;
  const date = DateTime.fromISO(day, { zone: "utc" });
  return date.toFormat(granularity === "week" ? "kkkk-WW" : "yyyy-MM");
}
