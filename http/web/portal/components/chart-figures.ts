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
  /** Stacks bars that are parts of one sum. Negative values are drawn below the axis. */
  stacked?: boolean;
  format: (value: number) => string;
  /** A shorter format for the axis. */
  formatAxis?: (value: number) => string;
  /** The address of the list behind a label; null if there is none. */
  hrefOf?: (index: number) => string | null;
}
