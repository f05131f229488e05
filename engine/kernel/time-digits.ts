/**
 * Number of digits of a time in keys. Milliseconds since 1970 have this many until the year 2286.
 */
export const TIME_DIGITS = 13;

const LAST_MS = 10 ** TIME_DIGITS - 1;

/**
 * Returns a time in milliseconds as a text that sorts like the time, for keys and their ranges. A
 * time beyond the digits becomes the nearest one within them. A longer number would sort before
 * shorter ones, so a limit far in the future would exclude everything.
 */
export function timeDigits(ms: number): string {
  return String(Math.min(LAST_MS, Math.max(0, Math.floor(ms)))).padStart(TIME_DIGITS, "0");
}
