import type { Chart } from "./line-chart.ts";

/** A part of a result's plot. The same panels are the tables of bench/RESULTS.md. */
export type Panel = Bars | Marks | Lines;

export interface Bars {
  kind: "bars";
  title: string;
  unit: string;
  bars: readonly Bar[];
}

export interface Bar {
  label: string;
  value: number;
  /** The least and the most of repeated measurements. */
  low?: number;
  high?: number;
  goal?: { at: number; better: "more" | "less" };
  /** From 0 to 7: what is of one program has one colour. */
  colour?: number;
}

/** Percentiles of latencies. */
export interface Marks {
  kind: "marks";
  title: string;
  unit: string;
  /** Of the values of each row, from the smallest. */
  names: readonly string[];
  rows: readonly { label: string; values: readonly (number | null)[] }[];
}

export interface Lines {
  kind: "lines";
  chart: Chart;
}

/** Whether anything is in it. */
export function isFilled(panel: Panel): boolean {
  if (panel.kind === "bars") return panel.bars.length > 0;
  if (panel.kind === "marks") return panel.rows.some(({ values }) => values.some((value) => value !== null));
  return panel.chart.series.some(({ points }) => points.length > 0);
}
