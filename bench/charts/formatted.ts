/** Beyond it digits say nothing, and take the place of the chart. */
const WHOLE_MAX = 1e9;

/** A number as people read it: three digits or so, thousands apart. */
export function formatted(value: number): string {
  const size = Math.abs(value);
  if (size >= WHOLE_MAX) return value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 4 });
  if (size >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(size >= 0.1 ? value.toFixed(size >= 10 ? 1 : 2) : value.toPrecision(2)));
}
