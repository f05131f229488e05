import assert from "node:assert/strict";
import { test } from "node:test";
import { createLocalTime } from "../../../http/surfaces/local-time.ts";

const HOUR_MS = 3_600_000;
const utc = (text: string) => Date.parse(`${text}Z`);

test("a day goes from its first midnight to that of the next", () => {
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
  test(`${what}: ${day} in ${zone} has ${hours} hours`, () => {
    const range = createLocalTime(zone).dayRange(day);
    assert.ok(range !== null);
    assert.equal((range.untilMs - range.fromMs) / HOUR_MS, hours);
  });
}

test("days touch, and each instant is of the day that its local time says", () => {
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

test("what is no day has no range", () => {
  for (const text of ["2026-02-29", "2026-13-01", "2026-1-1", "today", ""])
    assert.equal(createLocalTime("Europe/Rome").dayRange(text), null);
});
