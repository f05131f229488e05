const MS_DIGITS = 13;

/** A time in the keys of an index, so that they are in its order. */
export function digitsOf(ms: number): string {
  return String(Math.max(0, Math.floor(ms))).padStart(MS_DIGITS, "0");
}
