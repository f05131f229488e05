/** Digits of a time in keys. Milliseconds since 1970 have so many until the year 2286. */
export const TIME_DIGITS = 13;

const LAST_MS = 10 ** TIME_DIGITS - 1;

/**
 * A time in milliseconds as a text whose order is that of the times, for keys and their bounds. Times beyond what the digits can hold become the nearest one
 * that they can: a longer number would sort before shorter ones, so a bound far in the future would exclude everything.
 */
export function timeDigits(ms: number): string {
  return String(Math.min(LAST_MS, Math.max(0, Math.floor(ms)))).padStart(TIME_DIGITS, "0");
}
