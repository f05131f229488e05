import { formatted } from "../charts/formatted.ts";
import { type Bar, isFilled, type Panel } from "../charts/panel.ts";
import type { ResultName } from "../result-name.ts";
import { factsOf, panelsOf } from "./draw.ts";
import { KIND_ORDER, kindOf } from "./kinds.ts";

const START = "<!-- Written by npm --prefix bench run plots, from here -->";
const END = "<!-- to here -->";

export interface StoredResult {
  result: ResultName;
  json: unknown;
  markdown: string;
  /** The plot; null where there is nothing to draw. */
  svg: string | null;
}

/** The page with its figures written anew between the two marks; what stands around them is kept. Throws where the marks are not there. */
export function withFigures(page: string, newest: readonly StoredResult[]): string {
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from === -1 || to < from) throw new Error(`bench/RESULTS.md has to have the lines ${START} and ${END}`);
  const sections = newest.toSorted((one, other) => placeOf(one) - placeOf(other)).map(section);
  return `${page.slice(0, from + START.length)}\n\n${sections.join("\n")}\n${page.slice(to)}`;
}

function placeOf({ result }: StoredResult): number {
  const place = KIND_ORDER.indexOf(result.kind ?? "");
  return place === -1 ? KIND_ORDER.length : place;
}

function section({ result, json, markdown, svg }: StoredResult): string {
  const { name, kind } = result;
  const known = kindOf(kind);
  if (known === null) return `### ${titleIn(markdown) ?? kind}\n\n[All of it](results/${name}.md).\n`;
  const { date, machine, node, commit } = factsOf(result, json, markdown);
  const tables = panelsOf(kind, json).filter(isFilled).flatMap(tableOf);
  return [
    `### ${known.title}`,
    "",
    `${date}, ${machine}, ${node}, ${commit}. \`${known.command}\`; [all of it](results/${name}.md)${svg === null ? "" : `, [plot](results/${name}.svg)`}.`,
    "",
    ...tables,
  ].join("\n");
}

/** A line's points are for the eye: it has no table. */
function tableOf(panel: Panel): string[] {
  if (panel.kind === "lines") return [];
  const title = `${panel.title}, ${panel.unit}`;
  if (panel.kind === "marks") {
    const rows = panel.rows.map(({ label, values }) => [label, ...values.map((value) => (value === null ? "" : formatted(value)))]);
    return table([title, ...panel.names], rows);
  }
  const { bars } = panel;
  const columns: [string, (bar: Bar) => string][] = [["", ({ value }) => formatted(value)]];
  if (bars.some(({ low }) => low !== undefined)) columns.push(["least to most", spread]);
  if (bars.some(({ goal }) => goal !== undefined)) columns.push(["goal", goalOf]);
  return table(
    [title, ...columns.map(([head]) => head)],
    bars.map((bar) => [bar.label, ...columns.map(([, cell]) => cell(bar))]),
  );
}

function spread({ low, high }: Bar): string {
  return low === undefined || high === undefined ? "" : `${formatted(low)} to ${formatted(high)}`;
}

function goalOf({ value, goal }: Bar): string {
  if (goal === undefined) return "";
  const met = goal.better === "more" ? value >= goal.at : value <= goal.at;
  return `${goal.better === "more" ? "≥" : "≤"} ${formatted(goal.at)}, ${met ? "met" : "not met"}`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), `|${head.map((_, column) => (column === 0 ? "---|" : "--:|")).join("")}`, ...rows.map(line), ""];
}

function titleIn(markdown: string): string | null {
  return /^# (.+)$/m.exec(markdown)?.[1] ?? null;
}
