import type { PLAN_INTERVALS } from "./words.ts";
/** How far a time zone's clocks are ahead of UTC at a moment, in milliseconds. Pure, and the same on every node. */
export type ZoneOffset = (atMs: number) => number;

export type PlanInterval = (typeof PLAN_INTERVALS)[number];

/** How often something is paid: every `count` intervals. */
export interface BillingInterval {
  readonly interval: PlanInterval;
  readonly count: number;
}

/** The local day of the first cycle, from which all others are reckoned. */
export interface BillingAnchor {
  /** Day of the month, 1 to 31. */
  readonly anchorDay: number;
  /** `YYYY-MM`. */
  readonly anchorMonth: string;
}

/** A cycle by the calendar: it is due when it begins, and ends when the next one is due. */
export interface CyclePlace {
  /** From 1. */
  readonly cycle: number;
  readonly dueAtMs: number;
  readonly untilMs: number;
}

/** Local time of day at which cycles are due. */
export const BILLING_HOUR = 9;

/** Of a cycle that is looked for by its time; a plan of one week reaches it after 190 years. */
const CYCLES_MAX = 10_000;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MONTHS_PER_YEAR = 12;

/** Cycles of subscriptions in the installation's time zone. */
export interface BillingCalendar {
  /** The local day of a moment, so many days later. */
  anchorAt(atMs: number, daysLater: number): BillingAnchor;
  /** The cycle with a number. */
  cycle(anchor: BillingAnchor, every: BillingInterval, cycle: number): CyclePlace;
  /** The first cycle from `cycle` on that is due after a moment. */
  firstAfter(anchor: BillingAnchor, every: BillingInterval, cycle: number, atMs: number): CyclePlace;
}

/**
 * Each day is computed from the anchor and never from the day before, so that the 31st comes back after February. A month without the anchor's day is due on its last one.
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
      // None comes sooner than its shortest interval, so a cycle is found in a few steps however long ago the anchor is.
      let found = Math.max(cycle, 1);
      for (let due = dueAt(anchor, every, found); due <= atMs; due = dueAt(anchor, every, found)) {
        found += Math.max(1, Math.floor((atMs - due) / longestMs(every)));
        if (found > CYCLES_MAX) throw new RangeError("the relay computes no cycle so far ahead");
      }
      return cycleOf(anchor, every, found);
    },
  };
}

/** No interval is longer, its change of clocks included. */
function longestMs({ interval, count }: BillingInterval): number {
  const days = { WEEK: 7, MONTH: 31, YEAR: 366 }[interval];
  return days * count * DAY_MS + DAY_MS;
}

/** The local day of a cycle, as the UTC midnight of the same date. */
function localDay({ anchorDay, anchorMonth }: BillingAnchor, { interval, count }: BillingInterval, cycle: number): number {
  const [year = 0, month = 1] = anchorMonth.split("-").map(Number);
  const intervals = (cycle - 1) * count;
  if (interval === "WEEK") return Date.UTC(year, month - 1, anchorDay) + intervals * 7 * DAY_MS;
  const months = month - 1 + intervals * (interval === "YEAR" ? MONTHS_PER_YEAR : 1);
  // The day before the first of the next month is the last of this one.
  const daysOfMonth = new Date(Date.UTC(year, months + 1, 0)).getUTCDate();
  return Date.UTC(year, months, Math.min(anchorDay, daysOfMonth));
}

/** When clocks show the billing hour on a day. An hour that the day skips is moved by what it skips; of one that it has twice it is the first. */
function billingTime(dayMs: number, offsetMsAt: ZoneOffset): number {
  const wallMs = dayMs + BILLING_HOUR * HOUR_MS;
  const before = offsetMsAt(wallMs - DAY_MS);
  const after = offsetMsAt(wallMs + DAY_MS);
  const shows = [wallMs - before, wallMs - after].filter((atMs) => atMs + offsetMsAt(atMs) === wallMs);
  return shows.length === 0 ? wallMs - before : Math.min(...shows);
}
