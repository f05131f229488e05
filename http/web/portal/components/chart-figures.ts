export interface ChartSeries {
  label: string;
  /** One value for each label; null if there is none. */
  values: readonly (number | null)[];
  /** `bars` for amounts of an interval, `line` for a rate or a level, `dashes` for a comparison. */
  kind: "bars" | "line" | "dashes";
}

export interface ChartProps {
  /** The name of the picture and of the table. */
  title: string;
  /** The labels along the bottom, such as hours or days. */
  labels: readonly string[];
  /** Shorter labels for the axis. */
  axisLabels?: readonly string[];
  labelsTitle: string;
  series: readonly ChartSeries[];
  /** The values are shares from 0 to 1, drawn as lines. The axis then shows where they differ. */
  areShares?: boolean;
  /** Stacks bars that are parts of one sum. Negative values are drawn below the axis. */
  stacked?: boolean;
  format: (value: number) => string;
  /** A shorter format for the axis. */
  formatAxis?: (value: number) => string;
  /** The address of the list behind a label; null if there is none. */
  hrefOf?: (index: number) => string | null;
}

/** Below this share the axis begins at zero. */
const CUT_FROM_SHARE = 0.5;

const STEP = 0.05;

/** With a shorter axis, a change of a percent would look like a collapse. */
const SPAN_MIN = 0.1;

/**
 * Returns the ends of the axis of shares, or null if there are no values. It begins at zero unless
 * all values are in the upper half. A chart whose axis does not begin at zero says so.
 */
export function shareAxis(series: readonly Pick<ChartSeries, "values">[]): { from: number; to: number } | null {
  const values = series.flatMap((one) => one.values.filter((value) => value !== null));
  if (values.length === 0) return null;
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (min < CUT_FROM_SHARE) return { from: 0, to: Math.min(1, max > 0 ? max * 1.08 : 1) };
  // Whole steps, without the error of binary fractions.
  const step = (steps: number) => Math.round(steps) / (1 / STEP);
  const to = Math.min(1, step(Math.ceil(max / STEP - 1e-9)));
  const from = Math.min(step(Math.floor(min / STEP + 1e-9)), to - SPAN_MIN);
  return { from: Math.max(0, step(from / STEP)), to };
}
