export interface ChartSeries {
  label: string;
  /** One for each label of the axis; null where there is none. */
  values: readonly (number | null)[];
  /** `bars` for amounts of an interval, `line` for what is a rate or a level, `dashes` for what either is compared with. */
  kind: "bars" | "line" | "dashes";
}

export interface ChartProps {
  /** What it shows, in words: the name of the picture and of the table. */
  title: string;
  /** Along the bottom: hours, days. */
  labels: readonly string[];
  /** Shorter, for the axis. */
  axisLabels?: readonly string[];
  labelsTitle: string;
  series: readonly ChartSeries[];
  /** Bars stand on each other: they are parts of one sum. Those below nothing hang from the axis. */
  stacked?: boolean;
  format: (value: number) => string;
  /** Shorter, for the axis. */
  formatAxis?: (value: number) => string;
  /** The list that what stands at a label was counted from. */
  hrefOf?: (index: number) => string | null;
}
