import type { PLAN_INTERVALS } from "./words.ts";

/**
 * Returns the offset of a time zone from UTC at a moment, in milliseconds. Pure, and equal on every
 * node.
 */
export type ZoneOffset = (atMs: number) => number;

export type PlanInterval = (typeof PLAN_INTERVALS)[number];

/** The time between two payments: `count` intervals. */
export interface BillingInterval {
  readonly interval: PlanInterval;
  readonly count: number;
}

/** The local day of the first cycle. All others are computed from it. */
export interface BillingAnchor {
  /** The day of the month, 1 to 31. */
  readonly anchorDay: number;
  /** `YYYY-MM`. */
  readonly anchorMonth: string;
}

/** A cycle in the calendar. It is due when it starts, and ends when the next one is due. */
export interface CyclePlace {
  /** Counted from 1. */
  readonly cycle: number;
  readonly dueAtMs: number;
  readonly untilMs: number;
}

/** The local hour at which cycles are due. */
export const BILLING_HOUR = 9;

/** Limits the search for a cycle by time. A weekly plan reaches this number after 190 years. */
const CYCLES_MAX = 10_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTHS_PER_YEAR = 12;

/** The cycles of subscriptions in the installation's time zone. */
export interface BillingCalendar {
  /** Returns the local day of a moment, moved by a number of days. */
  anchorAt(atMs: number, daysLater: number): BillingAnchor;
  cycle(anchor: BillingAnchor, every: BillingInterval, cycle: number): CyclePlace;
  /** Returns the first cycle, from `cycle` on, that is due after a moment. */
  firstAfter(anchor: BillingAnchor, every: BillingInterval, cycle: number, atMs: number): CyclePlace;
}

/**
 * Computes each day from the anchor instead of the previous day, so that the 31st returns after
 * February. In a month without the anchor's day, the last day counts.
 */
export function createBillingCalendar(offsetMsAt: ZoneOffset): BillingCalendar {
  const dueAt = (anchor: BillingAnchor, every: BillingInterval, cycle: number) => billingTime(localDay(anchor, every, cycle), offsetMsAt);

  function cycleOf(anchor: BillingAnchor, every: BillingInterval, cycle: number): CyclePlace {
    return { cycle, dueAtMs: dueAt(anchor, every, cycle), untilMs: dueAt(anchor, every, cycle + 1) };
  }

  return {
    anchorAt: (atMs, daysLater) => {
      const day = new Date(Math.floor((atMs + offsetMsAt(atMs)) / DAY_MS) * DAY_MS + daysLater * DAY_MS);
      return { anchorDay: day.getUTCDate(), anchorMonth: day.toISOString().slice(0, "YYYY-MM".length) };
    },
    cycle: cycleOf,
    firstAfter: (anchor, every, cycle, atMs) => {
      // Cycles are never closer than their shortest interval, so a cycle is found in a few steps
      // even for an old anchor.
      let found = Math.max(cycle, 1);
      for (let due = dueAt(anchor, every, found); due <= atMs; due = dueAt(anchor, every, found)) {
        found += Math.max(1, Math.floor((atMs - due) / longestMs(every)));
        if (found > CYCLES_MAX) throw new RangeError("the relay computes no cycle so far ahead");
      }
      return cycleOf(anchor, every, found);
    },
  };
}

/** Returns an upper limit of the interval, including a clock change. */
function longestMs({ interval, count }: BillingInterval): number {
  const days = { WEEK: 7, MONTH: 31, YEAR: 366 }[interval];
  return days * count * DAY_MS + DAY_MS;
}

/** Returns the local day of a cycle as the UTC midnight of the same date. */
function localDay({ anchorDay, anchorMonth }: BillingAnchor, { interval, count }: BillingInterval, cycle: number): number {
  const [year = 0, month = 1] = anchorMonth.split("-").map(Number);
  const intervals = (cycle - 1) * count;
  if (interval === "WEEK") return Date.UTC(year, month - 1, anchorDay) + intervals * 7 * DAY_MS;
  const months = month - 1 + intervals * (interval === "YEAR" ? MONTHS_PER_YEAR : 1);
  // The day before the first of the next month is the last day of this month.
  const daysOfMonth = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return Date.UTC(year, months, Math.min(anchorDay, daysOfMonth));
}

/**
 * Returns the moment at which clocks show the billing hour. If the day skips that hour, it is moved
 * by the skipped time. If the day has it twice, the first one counts.
 */
function billingTime(dayMs: number, offsetMsAt: ZoneOffset): number {
  const wallMs = dayMs + BILLING_HOUR * HOUR_MS;
  const before = offsetMsAt(wallMs - DAY_MS);
  const after = offsetMsAt(wallMs + DAY_MS);
  const shows = [wallMs - before, wallMs - after].filter((atMs) => atMs + offsetMsAt(atMs) === wallMs);
  return shows.length === 0 ? wallMs - before : Math.min(...shows);
}
