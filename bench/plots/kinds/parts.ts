import type { Bar, Marks } from "../../charts/panel.ts";
import { type Key, numberOf } from "../read.ts";

/** A bar of a value that is there; nothing where it is not. */
export function bar(label: string, value: number | null, more: Omit<Bar, "label" | "value"> = {}): Bar[] {
  return value === null ? [] : [{ label, value, ...more }];
}

/** The least and the most, where there are several. */
export function spreadOf(values: readonly number[]): Pick<Bar, "low" | "high"> {
  return values.length < 2 ? {} : { low: Math.min(...values), high: Math.max(...values) };
}

/** The median of repeated measurements, with the least and the most. */
export function medianBar(label: string, values: readonly number[], more: Omit<Bar, "label" | "value" | "low" | "high"> = {}): Bar[] {
  const middle = values.toSorted((one, other) => one - other)[values.length >> 1];
  return bar(label, middle ?? null, { ...spreadOf(values), ...more });
}

export function latencies(title: string, names: readonly string[], rows: Marks["rows"]): Marks {
  return { kind: "marks", title, unit: "ms", names, rows: rows.filter(({ values }) => values.some((value) => value !== null)) };
}

/** A row of the members of that object. */
export function latencyRow(label: string, json: unknown, path: readonly Key[], members: readonly string[]): Marks["rows"][number] {
  return { label, values: members.map((member) => numberOf(json, ...path, member)) };
}
