import { cpus, loadavg } from "node:os";
import { machineFacts } from "../machine-facts.ts";

/** What one part of the benchmark has found. */
export interface PartResult {
  title: string;
  json: object;
  /** How it was measured and what was found, below its title. */
  markdown: string;
  goals: readonly Goal[];
}

/** One of section 9 of the portal's specification. */
export interface Goal {
  what: string;
  found: number;
  most: number;
  unit: string;
}

export const isMet = ({ found, most }: Goal) => found <= most;

export const met = (goal: Goal) => (isMet(goal) ? "met" : "not met");

/** The machine and how busy it was, for the head of what was measured on it: other work makes all times longer. */
export function circumstances(date: string): string {
  const { cores, node } = machineFacts();
  return `${date}, ${cores} cores (${cpus()[0]?.model ?? "unknown"}), Node ${node}, load average ${loadText()}.`;
}

/** Of the last minute, five and fifteen, with the benchmark's own. */
export function loadText(): string {
  return loadavg()
    .map((load) => load.toFixed(1))
    .join(", ");
}

export function markdownTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? "---|" : "--:|")).join("")}`, ...rows.map(line)].join("\n");
}

export function goalsTable(goals: readonly Goal[]): string {
  return markdownTable(
    ["", "found", "goal", ""],
    goals.map((goal) => [goal.what, `${goal.found} ${goal.unit}`, `≤ ${goal.most} ${goal.unit}`, met(goal)]),
  );
}

/** With one decimal. */
export function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Sorts and answers with the value that this share of all is below. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
