import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalTime, daysAfter } from "../../../../http/surfaces/parts/time.ts";

const HOUR_MS = 3_600_000;
const utc = (text: string) => Date.parse(`${text}Z`);

test("starts a day at its first midnight and ends it at that of the next day", () => {
  assert.deepEqual(createLocalTime("Europe/Rome").dayRange("2026-06-07"), {
    fromMs: utc("2026-06-06T22:00:00"),
    untilMs: utc("2026-06-07T22:00:00"),
  });
});

const CHANGES: [string, string, string, number][] = [
  ["clocks go back within the day", "Europe/Rome", "2026-10-25", 25],
  ["clocks go forward within the day", "Europe/Rome", "2026-03-29", 23],
  ["midnight comes twice", "Atlantic/Azores", "2024-10-27", 25],
  ["the day before midnight comes twice", "Atlantic/Azores", "2024-10-26", 24],
  ["midnight comes twice", "America/Havana", "2025-11-02", 25],
  ["the last hour of the day comes twice", "Asia/Beirut", "2024-10-26", 25],
  ["midnight is left out", "Asia/Beirut", "2024-03-31", 23],
];
for (const [what, zone, day, hours] of CHANGES) {
  test(`has ${hours} hours on ${day} in ${zone}: ${what}`, () => {
    const range = createLocalTime(zone).dayRange(day);
    assert.ok(range !== null);
    assert.equal((range.untilMs - range.fromMs) / HOUR_MS, hours);
  });
}

test("covers each moment with exactly one day, the one of its local time", () => {
  for (const zone of ["Europe/Rome", "Atlantic/Azores", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Africa/Cairo", "UTC"]) {
    const { dayRange, format } = createLocalTime(zone);
    let endedMs: number | null = null;
    for (let noonMs = utc("2024-01-01T12:00:00"); noonMs < utc("2026-01-01T00:00:00"); noonMs += 24 * HOUR_MS) {
      const day = new Date(noonMs).toISOString().slice(0, 10);
      const range = dayRange(day);
      assert.ok(range !== null);
      assert.equal(range.fromMs, endedMs ?? range.fromMs, `${day} in ${zone}`);
      for (const atMs of [range.fromMs, range.untilMs - 1]) assert.equal(format(atMs).slice(0, 10), day, `${day} in ${zone}`);
      endedMs = range.untilMs;
    }
  }
});

test("has no range for an invalid day", () => {
  for (const text of ["2026-02-29", "2026-13-01", "2026-1-1", "today", ""])
    assert.equal(createLocalTime("Europe/Rome").dayRange(text), null);
});

const SAME_TIMES: [string, string, string, string, string][] = [
  ["an ordinary day", "Europe/Rome", "2026-06-10T12:34:56.789", "2026-06-17T10:34:56.789", "2026-06-10T10:34:56.789"],
  [
    "a day with 25 hours, before its clocks go back",
    "Europe/Rome",
    "2026-10-25T01:30:00.000",
    "2026-11-01T00:30:00.000",
    "2026-10-24T23:30:00.000",
  ],
  ["the first of two hours", "Europe/Rome", "2026-10-25T02:30:00.000", "2026-11-01T01:30:00.000", "2026-10-25T00:30:00.000"],
  ["a day with 25 hours, afterwards", "Europe/Rome", "2026-10-25T18:00:00.000", "2026-11-01T17:00:00.000", "2026-10-25T17:00:00.000"],
  ["the hour that the day skips", "Europe/Rome", "2026-03-29T03:30:00.000", "2026-04-05T00:30:00.000", "2026-03-29T01:30:00.000"],
  ["a day with 23 hours, afterwards", "Europe/Rome", "2026-03-29T18:00:00.000", "2026-04-05T16:00:00.000", "2026-03-29T16:00:00.000"],
  ["half an hour that comes twice", "Australia/Lord_Howe", "2026-04-05T01:45:00.000", "2026-04-11T15:15:00.000", "2026-04-04T14:45:00.000"],
];
for (const [what, zone, shown, nowUtc, expected] of SAME_TIMES) {
  test(`finds the same time on another day: ${what} in ${zone}`, () => {
    const localTime = createLocalTime(zone);
    const found = localTime.sameTimeOn(shown.slice(0, 10), utc(nowUtc)) ?? Number.NaN;
    assert.equal(new Date(found).toISOString(), `${expected}Z`);
    assert.equal(localTime.format(found), shown);
    assert.equal(localTime.dayOf(found), shown.slice(0, 10));
  });
}

test("returns the day of a time, whatever was asked before", () => {
  const midnights = ["2026-03-28T23:00", "2026-10-25T23:00", "2026-11-25T18:15", "2026-04-04T13:30"].map((text) => utc(`${text}:00.000`));
  for (const zone of ["Europe/Rome", "Asia/Kathmandu", "Australia/Lord_Howe", "America/Havana"]) {
    const { dayOf, format } = createLocalTime(zone);
    for (const midnight of midnights) {
      for (const ms of [0, -1, 1, 0, 899_999, -900_000, 43_200_000, -1])
        assert.equal(dayOf(midnight + ms), format(midnight + ms).slice(0, 10));
    }
  }
});

test("adds and subtracts days", () => {
  assert.equal(daysAfter("2026-03-01", -7), "2026-02-22");
  assert.equal(daysAfter("2024-02-28", 1), "2024-02-29");
  assert.equal(daysAfter("2026-12-31", 1), "2027-01-01");
});
