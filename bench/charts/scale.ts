/** What all charts share: their width, their scales and their ticks. */

export const WIDTH = 860;

/** The classes `s0` to `s7`. */
export const COLOURS = 8;

export interface Tick {
  at: number;
  text: string;
}

export type Scale = (value: number) => number;

export function linear([from, to]: readonly [number, number], start: number, end: number): Scale {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

/** Some four to eight, at 1, 2 or 5 times a power of ten. */
export function evenTicks([from, to]: readonly [number, number]): Tick[] {
  const rough = (to - from) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step).map((at) => ({ at, text: short(at) }));
}

/** Whole decades around the values that are above zero, as powers of ten, and their ticks. */
export function logTicks(values: readonly number[]): { low: number; high: number; ticks: Tick[] } {
  const most = values.reduce((known, value) => Math.max(known, value), 0);
  const least = values.reduce((known, value) => (value > 0 ? Math.min(known, value) : known), most || 1);
  const low = Math.floor(Math.log10(least || 1));
  const high = Math.max(low + 1, Math.ceil(Math.log10(most || 1)));
  const steps = high - low <= 2 ? [1, 2, 5] : [1];
  const ticks = Array.from({ length: high - low + 1 }, (_, decade) => steps.map((step) => step * 10 ** (low + decade)))
    .flat()
    .filter((at) => at <= 10 ** high)
    .map((at) => ({ at, text: short(at) }));
  return { low, high, ticks };
}

/** A place in a chart, to a tenth. */
export function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function short(value: number): string {
  return Math.abs(value) >= 10_000
    ? value.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 4 })
    : String(Number(value.toPrecision(6)));
}
