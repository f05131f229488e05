import { readFileSync } from "node:fs";

export const METRICS_PAGE = "infra/docs/metrics.md";

export interface DocumentedMetric {
  name: string;
  type: string;
  /** Which nodes have it. */
  on: "all" | "cluster" | "single" | "set up";
  /** With its labels, as code. */
  meaning: string;
}

const ROW = /^\| `(relay_[a-z0-9_]+)` \| (\w+) \| (?:(cluster|single|set up): )?(.+) \|$/gm;

/** What Prometheus makes of one histogram. */
export const PART_OF_HISTOGRAM = /_(?:bucket|sum|count)$/;

/** The tables of the page: every metric once. */
export function documentedMetrics(): DocumentedMetric[] {
  return [...readFileSync(METRICS_PAGE, "utf8").matchAll(ROW)].map(([, name = "", type = "", on, meaning = ""]) => ({
    ...{ name, type, meaning },
    on: on === "cluster" || on === "single" || on === "set up" ? on : "all",
  }));
}

/** The relay's metrics in an expression, histograms by their own names. */
export function metricsAskedFor(expr: string): string[] {
  return (expr.match(/\brelay_\w+/g) ?? []).map((name) => name.replace(PART_OF_HISTOGRAM, ""));
}

/** The metrics of a text of `/metrics`, with their types. */
export function metricsIn(text: string): { name: string; type: string }[] {
  return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = "", type = ""]) => ({ name, type }));
}
