import type { OpeningHoursJson } from "../../../../surfaces/merchant/opening-hours-schemas.ts";

type Interval = NonNullable<OpeningHoursJson["hours"]>[number];

export const WEEKDAYS = [1, 2, 3, 4, 5, 6, 7] as const;

const INTERVAL = /^(\d{1,2})[:.](\d{2})\s*[-–]\s*(\d{1,2})[:.](\d{2})$/;

/** Returns the intervals of a day as people write them: `08:30–13:00, 15:30–19:30`. */
export function hoursText(hours: readonly Interval[], weekday: number): string {
  return hours
    .filter((interval) => interval.weekday === weekday)
    .map(({ from, to }) => `${from}–${to}`)
    .join(", ");
}

/** Reads the intervals of a day; an empty text is a closed day. Null if it is not understood. */
export function readHours(written: string, weekday: number): Interval[] | null {
  const parts = written.split(/[,;]/).map((part) => part.trim());
  if (parts.length === 1 && parts[0] === "") return [];
  const read = parts.map((part) => readInterval(part, weekday));
  return read.every((interval) => interval !== null) ? read : null;
}

function readInterval(part: string, weekday: number): Interval | null {
  const [, fromHour = "", fromMinute = "", toHour = "", toMinute = ""] = INTERVAL.exec(part) ?? [];
  const from = timeOf(fromHour, fromMinute);
  const to = timeOf(toHour, toMinute);
  return from === null || to === null || from === "24:00" || from === to ? null : { weekday, from, to };
}

function timeOf(hour: string, minute: string): string | null {
  if (hour === "" || Number(minute) > 59 || Number(hour) * 60 + Number(minute) > 24 * 60) return null;
  return `${hour.padStart(2, "0")}:${minute}`;
}
