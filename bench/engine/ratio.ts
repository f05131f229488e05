import { median } from "../summary.ts";

/** How much of the first's time the second takes: the median of the ratios of slices that ran one right after the other. */
export function ratioOf(first: readonly number[], second: readonly number[]): number {
  return median(first.map((micros, slice) => (second[slice] ?? Number.NaN) / micros));
}

/** The geometric mean, which is the same whichever of two is compared with which. */
export function meanRatio(ratios: readonly number[]): number {
  return Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);
}
