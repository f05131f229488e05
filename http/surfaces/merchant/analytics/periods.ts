import { DateTime } from "luxon";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import { daysAfter, type LocalTime } from "../../parts/time.ts";
import { dayOfQuery, rangeOfQuery } from "../transaction-query.ts";
import { type Bucket, bucketsOf } from "./buckets.ts";
import { type Comparison, type Granularity, HOURLY_DAYS_MAX, REPORT_DAYS_MAX } from "./schemas.ts";

const DAYS_DEFAULT = 31;

const DAYS_OF_HOURS_MAX = 2;
const DAYS_OF_DAYS_MAX = 62;
const DAYS_OF_WEEKS_MAX = 190;

export interface Period {
  /** The first and the last day of the period. */
  from: string;
  to: string;
  granularity: Granularity;
  buckets: readonly Bucket[];
}

export interface PeriodQuery {
  from?: string;
  to?: string;
  compare?: Comparison;
  granularity?: Granularity;
}

/**
 * Returns the requested period and the one that it is compared with. Throws RelayError
 * `invalid_request` naming the member.
 */
export function periodsOf(query: PeriodQuery, nowMs: number, localTime: LocalTime): { period: Period; before: Period | null } {
  const to = query.to ?? (query.from === undefined ? localTime.dayOf(nowMs) : laterOf(query.from, localTime.dayOf(nowMs)));
  const from = query.from ?? daysAfter(to, 1 - DAYS_DEFAULT);
  rangeOfQuery({ from, to }, localTime);
  const days = daysBetween(from, to) + 1;
  if (days > REPORT_DAYS_MAX)
    throw new RelayError("invalid_request", `from: is ${days} days before to; a report covers at most ${REPORT_DAYS_MAX} days`);
  const granularity = query.granularity ?? usualGranularity(days);
  if (granularity === "hour" && days > HOURLY_DAYS_MAX) {
    throw new RelayError("invalid_request", `granularity: may be hour for at most ${HOURLY_DAYS_MAX} days`);
  }
  const before = daysBefore(query.compare ?? "none", { from, to, days });
  return {
    period: periodOf({ from, to }, granularity, localTime),
    before: before === null ? null : periodOf(before, granularity, localTime),
  };
}

function periodOf({ from, to }: { from: string; to: string }, granularity: Granularity, localTime: LocalTime): Period {
  dayOfQuery("compare", from, localTime);
  const buckets = bucketsOf({ from, to }, granularity, localTime);
  if (buckets.length === 0) throw new RelayError("invalid_request", "from: is a day that the time zone skipped");
  return { from, to, granularity, buckets };
}

function daysBefore(compare: Comparison, { from, to, days }: { from: string; to: string; days: number }) {
  if (compare === "none") return null;
  if (compare === "previous") return { from: daysAfter(from, -days), to: daysAfter(from, -1) };
  return { from: yearBefore(from), to: yearBefore(to) };
}

/** Returns 28 February for the 29th. */
function yearBefore(day: string): string {
  return DateTime.fromISO(day, { zone: "utc" }).minus({ years: 1 }).toISODate() ?? day;
}

function usualGranularity(days: number): Granularity {
  if (days <= DAYS_OF_HOURS_MAX) return "hour";
  if (days <= DAYS_OF_DAYS_MAX) return "day";
  return days <= DAYS_OF_WEEKS_MAX ? "week" : "month";
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

function laterOf(one: string, other: string): string {
  return one > other ? one : other;
}
