import { timeZone } from "../state/time-zone.ts";
import { locale } from "./texts.ts";

const DAY_MS = 86_400_000;

/** A day as `YYYY-MM-DD`, which is how the interface and date fields write them. */
export type Day = string;

/** The day that it is now in the installation's time zone. */
export function today(): Day {
  const parts = new Intl.DateTimeFormat("en", { timeZone: timeZone.value, year: "numeric", month: "2-digit", day: "2-digit" })
    .formatToParts(new Date())
    .map(({ type, value }) => [type, value] as const);
  const { year, month, day } = Object.fromEntries(parts);
  return `${year}-${month}-${day}`;
}

/** The hour that it is now in the installation's time zone, from 0 to 23. */
export function hourNow(): number {
  return Number(new Intl.DateTimeFormat("en", { timeZone: timeZone.value, hour: "2-digit", hourCycle: "h23" }).format(new Date()));
}

/** A day so many days later; the calendar's, whatever the clocks do. */
export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T12:00:00Z`));
}

/** `Thu 26 Nov 2026`, where there is little room. */
export function formatShortDay(day: Day): string {
  return written(day, { weekday: "short", day: "numeric", month: "short", year: "numeric" });
}

/** `Thursday 26 November 2026`: a day has no time zone any more. */
export function formatDay(day: Day): string {
  return written(day, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
}

function written(day: Day, parts: Intl.DateTimeFormatOptions): string {
  const tag = locale.value === "it" ? "it-IT" : "en-GB";
  return new Intl.DateTimeFormat(tag, { ...parts, timeZone: "UTC" }).format(Date.parse(`${day}T12:00:00Z`));
}
