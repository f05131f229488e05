import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { DateTime } from "luxon";
import { type BillingInterval, createBillingCalendar } from "../../../engine/subscriptions/calendar.ts";
import { PLAN_INTERVALS } from "../../../engine/subscriptions/words.ts";
import { zoneOffset } from "./world.ts";

const calendarOf = (zone: string) => createBillingCalendar(zoneOffset(zone));

/** Returns the local due times of a subscription that starts at a local date. */
function dueTimes(zone: string, begins: string, every: BillingInterval, cycles: number): string[] {
  const calendar = calendarOf(zone);
  const anchor = calendar.anchorAt(DateTime.fromISO(begins, { zone }).toMillis(), 0);
  return Array.from({ length: cycles }, (_, index) =>
    DateTime.fromMillis(calendar.cycle(anchor, every, index + 1).dueAtMs, { zone }).toFormat("yyyy-MM-dd HH:mm"),
  );
}

describe("the billing calendar", () => {
  test("bills the last of February and 31 March from 31 January, in leap years and others", () => {
    const monthly = { interval: "MONTH", count: 1 } as const;
    assert.deepEqual(dueTimes("Europe/Rome", "2026-01-31T15:00", monthly, 4), [
      ...["2026-01-31 09:00", "2026-02-28 09:00", "2026-03-31 09:00", "2026-04-30 09:00"],
    ]);
    assert.deepEqual(dueTimes("Europe/Rome", "2028-01-31T15:00", monthly, 3), ["2028-01-31 09:00", "2028-02-29 09:00", "2028-03-31 09:00"]);
    assert.deepEqual(dueTimes("Europe/Rome", "2027-12-30T00:30", { interval: "MONTH", count: 2 }, 3), [
      ...["2027-12-30 09:00", "2028-02-29 09:00", "2028-04-30 09:00"],
    ]);
  });

  test("bills 28 February from 29 February until there is a 29th again", () => {
    assert.deepEqual(dueTimes("Europe/Rome", "2028-02-29T10:00", { interval: "YEAR", count: 1 }, 5), [
      ...["2028-02-29 09:00", "2029-02-28 09:00", "2030-02-28 09:00", "2031-02-28 09:00", "2032-02-29 09:00"],
    ]);
  });

  test("is due at 09:00 before and after both clock changes", () => {
    const weekly = { interval: "WEEK", count: 1 } as const;
    assert.deepEqual(dueTimes("Europe/Rome", "2026-03-22T12:00", weekly, 3), ["2026-03-22 09:00", "2026-03-29 09:00", "2026-04-05 09:00"]);
    assert.deepEqual(dueTimes("Europe/Rome", "2026-10-18T12:00", weekly, 3), ["2026-10-18 09:00", "2026-10-25 09:00", "2026-11-01 09:00"]);
    const calendar = calendarOf("Europe/Rome");
    const anchor = calendar.anchorAt(DateTime.fromISO("2026-03-22T12:00", { zone: "Europe/Rome" }).toMillis(), 0);
    const { dueAtMs, untilMs } = calendar.cycle(anchor, weekly, 1);
    assert.equal(untilMs - dueAtMs, (7 * 24 - 1) * 3_600_000);
  });

  test("starts at the local day, and counts the days of a trial from it", () => {
    const calendar = calendarOf("Europe/Rome");
    const lateEvening = Date.UTC(2026, 0, 30, 23, 30);
    assert.deepEqual(calendar.anchorAt(lateEvening, 0), { anchorDay: 31, anchorMonth: "2026-01" });
    assert.deepEqual(calendar.anchorAt(lateEvening, 14), { anchorDay: 14, anchorMonth: "2026-02" });
  });
});

/** Computes a due time naively, day by day, as with a wall calendar. */
function naiveDue(zone: string, day: DateTime, { interval, count }: BillingInterval, cycle: number): number {
  if (interval === "WEEK") {
    let wanted = day;
    for (let days = 0; days < 7 * count * (cycle - 1); days += 1) wanted = wanted.plus({ days: 1 });
    return at9(zone, wanted);
  }
  let [year, month] = [day.year, day.month];
  for (let months = 0; months < count * (interval === "YEAR" ? 12 : 1) * (cycle - 1); months += 1) {
    month += 1;
    if (month > 12) [year, month] = [year + 1, 1];
  }
  let wanted = DateTime.utc(year, month, 1);
  while (wanted.day < day.day && wanted.plus({ days: 1 }).month === month) wanted = wanted.plus({ days: 1 });
  return at9(zone, wanted);
}

function at9(zone: string, day: DateTime): number {
  return DateTime.fromObject({ year: day.year, month: day.month, day: day.day, hour: 9 }, { zone }).toMillis();
}

const ZONES = ["Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC", "America/Santiago", "Pacific/Chatham"];
const anyEvery = fc.record({ interval: fc.constantFrom(...PLAN_INTERVALS), count: fc.integer({ min: 1, max: 3 }) });
const anyMoment = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) });

test("matches a naive calendar in every cycle, and ends each where the next one starts", () => {
  fc.assert(
    fc.property(fc.constantFrom(...ZONES), anyMoment, anyEvery, fc.integer({ min: 1, max: 40 }), (zone, atMs, every, cycle) => {
      const calendar = calendarOf(zone);
      const anchor = calendar.anchorAt(atMs, 0);
      const day = DateTime.fromMillis(atMs, { zone });
      assert.deepEqual(anchor, { anchorDay: day.day, anchorMonth: day.toFormat("yyyy-MM") });
      const place = calendar.cycle(anchor, every, cycle);
      assert.equal(place.dueAtMs, naiveDue(zone, day, every, cycle));
      assert.equal(place.untilMs, calendar.cycle(anchor, every, cycle + 1).dueAtMs);
      assert.ok(place.untilMs > place.dueAtMs);
    }),
    { numRuns: 400 },
  );
});

test("finds the same first cycle after a moment as a linear search", () => {
  const anyPause = fc.integer({ min: 0, max: 3 * 365 * 86_400_000 });
  fc.assert(
    fc.property(
      fc.constantFrom(...ZONES),
      anyMoment,
      anyEvery,
      fc.integer({ min: 1, max: 20 }),
      anyPause,
      (zone, atMs, every, from, pauseMs) => {
        const calendar = calendarOf(zone);
        const anchor = calendar.anchorAt(atMs, 0);
        let cycle = from;
        while (calendar.cycle(anchor, every, cycle).dueAtMs <= atMs + pauseMs) cycle += 1;
        assert.deepEqual(calendar.firstAfter(anchor, every, from, atMs + pauseMs), calendar.cycle(anchor, every, cycle));
      },
    ),
    { numRuns: 300 },
  );
});
