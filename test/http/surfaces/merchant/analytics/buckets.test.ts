import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DateTime } from "luxon";
import { type Bucket, bucketsOf, clockOffsets, edgesOf, withOffset } from "../../../../../http/surfaces/merchant/analytics/buckets.ts";
import type { Granularity } from "../../../../../http/surfaces/merchant/analytics/schemas.ts";
import { createLocalTime, daysAfter } from "../../../../../http/surfaces/parts/time.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Whole hours, half hours of offset, both hemispheres, and a zone whose clocks change by half an hour. */
const ZONES = ["Europe/Rome", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "Australia/Lord_Howe", "UTC"];
const GRANULARITIES: Granularity[] = ["hour", "day", "week", "month"];

/** Days around both clock changes of the year among all others. */
const FROM = fc.oneof(
  fc.integer({ min: 0, max: 3_000 }).map((days) => daysAfter("2020-01-01", days)),
  fc.constantFrom(
    "2026-03-27",
    "2026-03-28",
    "2026-03-29",
    "2026-10-24",
    "2026-10-25",
    "2026-03-08",
    "2026-11-01",
    "2026-04-05",
    "2026-10-04",
  ),
);

const around = (starts: readonly Bucket[], atMs: number) => starts.filter(({ fromMs, untilMs }) => atMs >= fromMs && atMs < untilMs);

test("every instant of the days is in one bucket, which is that of the calendar within the days", () => {
  fc.assert(
    fc.property(
      fc.record({
        zone: fc.constantFrom(...ZONES),
        granularity: fc.constantFrom(...GRANULARITIES),
        from: FROM,
        days: fc.integer({ min: 1, max: 400 }),
        place: fc.double({ min: 0, max: 0.999_999, noNaN: true }),
      }),
      ({ zone, granularity, from, days: wanted, place }) => {
        const localTime = createLocalTime(zone);
        const days = granularity === "hour" ? Math.min(wanted, 7) : wanted;
        const to = daysAfter(from, days - 1);
        const buckets = bucketsOf({ from, to }, granularity, localTime);
        const [first, last] = [DateTime.fromISO(from, { zone }).startOf("day"), DateTime.fromISO(to, { zone }).endOf("day")];
        assert.equal(buckets[0]?.fromMs, first.toMillis());
        assert.equal(buckets.at(-1)?.untilMs, last.toMillis() + 1);
        buckets.forEach((bucket, index) => {
          assert.ok(bucket.fromMs < bucket.untilMs);
          assert.equal(bucket.untilMs, buckets[index + 1]?.fromMs ?? bucket.untilMs, "without a gap");
        });
        const atMs = Math.floor(first.toMillis() + place * (last.toMillis() - first.toMillis()));
        const [bucket, ...others] = around(buckets, atMs);
        assert.ok(bucket !== undefined && others.length === 0);
        const local = DateTime.fromMillis(atMs, { zone });
        if (granularity === "hour") {
          // A piece of an hour of the clock, all with one offset.
          const [start, end] = [DateTime.fromMillis(bucket.fromMs, { zone }), DateTime.fromMillis(bucket.untilMs - 1, { zone })];
          for (const edge of [start, end]) {
            assert.deepEqual([edge.toFormat("yyyy-MM-dd HH"), edge.offset], [local.toFormat("yyyy-MM-dd HH"), local.offset]);
          }
        } else {
          assert.equal(bucket.fromMs, Math.max(local.startOf(granularity).toMillis(), first.toMillis()));
          assert.equal(bucket.untilMs - 1, Math.min(local.endOf(granularity).toMillis(), last.toMillis()));
        }
        assert.equal(bucket.from, DateTime.fromMillis(bucket.fromMs, { zone }).toISODate());
        assert.equal(bucket.to, DateTime.fromMillis(bucket.untilMs - 1, { zone }).toISODate());
        assert.equal(
          DateTime.fromISO(withOffset(bucket.fromMs, localTime)).toMillis(),
          bucket.fromMs,
          "its label is that instant and no other",
        );
      },
    ),
    { numRuns: 400 },
  );
});

const hoursOf = (zone: string, day: string) => {
  const localTime = createLocalTime(zone);
  return bucketsOf({ from: day, to: day }, "hour", localTime).map(({ fromMs }) => withOffset(fromMs, localTime).slice(11));
};

test("the day that clocks go forward has 23 hours, without the one that is left out", () => {
  const hours = hoursOf("Europe/Rome", "2026-03-29");
  assert.equal(hours.length, 23);
  assert.deepEqual(hours.slice(0, 4), ["00:00:00+01:00", "01:00:00+01:00", "03:00:00+02:00", "04:00:00+02:00"]);
});

test("the day that clocks go back has 25 hours, with the repeated one twice, told apart by its offset", () => {
  const hours = hoursOf("Europe/Rome", "2026-10-25");
  assert.equal(hours.length, 25);
  assert.deepEqual(hours.slice(1, 5), ["01:00:00+02:00", "02:00:00+02:00", "02:00:00+01:00", "03:00:00+01:00"]);
});

test("where clocks change by half an hour, that half hour is a part of its own", () => {
  assert.deepEqual(hoursOf("Australia/Lord_Howe", "2026-04-05").slice(0, 4), [
    "00:00:00+11:00",
    "01:00:00+11:00",
    "01:30:00+10:30",
    "02:00:00+10:30",
  ]);
});

test("weeks begin on Monday and months on their first, and both are cut to the days that are asked for", () => {
  const localTime = createLocalTime("Europe/Rome");
  const daysIn = (granularity: Granularity) =>
    bucketsOf({ from: "2026-10-22", to: "2026-11-03" }, granularity, localTime).map(({ from, to }) => [from, to]);
  assert.deepEqual(daysIn("week"), [
    ["2026-10-22", "2026-10-25"],
    ["2026-10-26", "2026-11-01"],
    ["2026-11-02", "2026-11-03"],
  ]);
  assert.deepEqual(daysIn("month"), [
    ["2026-10-22", "2026-10-31"],
    ["2026-11-01", "2026-11-03"],
  ]);
  // The same week of two years, and two of them within one month's turn.
  assert.equal(bucketsOf({ from: "2026-12-28", to: "2027-01-03" }, "week", localTime).length, 1);
});

test("a year of days is 365 of them, and their edges one more", () => {
  const buckets = bucketsOf({ from: "2026-01-01", to: "2026-12-31" }, "day", createLocalTime("Europe/Rome"));
  assert.equal(buckets.length, 365);
  const edges = edgesOf(buckets);
  assert.equal(edges.length, 366);
  const lengths = new Set(edges.slice(1).map((edge, index) => (edge - (edges[index] ?? 0)) / HOUR_MS));
  assert.deepEqual([...lengths].sort(), [23, 24, 25]);
});

test("a day that a zone has left out is no bucket, and leaves no gap", () => {
  const buckets = bucketsOf({ from: "2011-12-29", to: "2011-12-31" }, "day", createLocalTime("Pacific/Apia"));
  assert.deepEqual(
    buckets.map(({ from }) => from),
    ["2011-12-29", "2011-12-31"],
  );
  assert.equal(buckets[0]?.untilMs, buckets[1]?.fromMs);
});

test("offsets are told from the range's begin, and from each change on", () => {
  const localTime = createLocalTime("Europe/Rome");
  const [fromMs, changeMs] = [Date.parse("2026-10-23T22:00:00Z"), Date.parse("2026-10-25T01:00:00Z")];
  assert.deepEqual(clockOffsets(fromMs, fromMs + 4 * DAY_MS, localTime), [
    { fromMs, offsetMs: 2 * HOUR_MS },
    { fromMs: changeMs, offsetMs: HOUR_MS },
  ]);
});
