export interface ChartSeries {
  label: string;
  /** One for each label of the axis; null where there is none. */
  values: readonly (number | null)[];
  /** `bars` for amounts of an interval, `line` for what they are compared with. */
  kind: "bars" | "line";
}

export interface ChartProps {
  /** What it shows, in words: the name of the picture and of the table. */
  title: string;
  /** Along the bottom: hours, days. */
  labels: readonly string[];
  labelsTitle: string;
  series: readonly ChartSeries[];
  format: (value: number) => string;
  /** Shorter, for the axis. */
  formatAxis?: (value: number) => string;
}
