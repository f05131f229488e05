import { escaped } from "../../engine/kernel/escaped.ts";
import { formatted } from "./formatted.ts";
import type { Bars, Marks } from "./panel.ts";
import { COLOURS, evenTicks, linear, logTicks, px, type Scale, type Tick, WIDTH } from "./scale.ts";

/** Charts with a row for each value: names at the left, what is drawn in the middle, the numbers themselves at the right. */

const LEFT = 300;
const RIGHT = 246;
const ROW = 24;
const AXIS = 24;
const THICK = 13;

/** Longer names are cut; the whole one is shown where the pointer rests. */
const NAME_MAX = 47;

export interface Shapes {
  height: number;
  shapes: string[];
}

/** Bars from zero, with the least and the most of repeated measurements as a line across, and a stroke where the goal is. */
export function barShapes({ bars }: Bars): Shapes {
  const most = bars.reduce((known, { value, high = value, goal }) => Math.max(known, value, high, goal?.at ?? 0), 0);
  const domain = [0, most || 1] as const;
  const x = linear(domain, LEFT, WIDTH - RIGHT);
  const rows = bars.map((bar, index) => {
    const { label, value, low, high, goal, colour = 2 } = bar;
    const middle = index * ROW + ROW / 2;
    const drawn = [
      `<rect class="s${colour % COLOURS}" x="${px(LEFT)}" y="${px(middle - THICK / 2)}" width="${px(Math.max(value === 0 ? 0 : 1, x(value) - LEFT))}" height="${THICK}"/>`,
    ];
    if (low !== undefined && high !== undefined && high > low) drawn.push(spread(x(low), x(high), middle));
    if (goal !== undefined)
      drawn.push(
        `<line class="goal" x1="${px(x(goal.at))}" x2="${px(x(goal.at))}" y1="${px(middle - ROW / 2 + 1)}" y2="${px(middle + ROW / 2 - 1)}"/>`,
      );
    return [name(label, middle), ...drawn, number(barText(bar), middle)].join("");
  });
  return withAxis(rows, evenTicks(domain), x);
}

/** Points on a scale of powers of ten: percentiles of one row lie on one line. */
export function markShapes({ rows }: Marks): Shapes {
  const { low, high, ticks } = logTicks(rows.flatMap(({ values }) => values.filter((value) => value !== null)));
  const decades = linear([low, high], LEFT, WIDTH - RIGHT);
  // What is zero stands at the left edge.
  const x: Scale = (value) => decades(Math.log10(Math.max(value, 10 ** low)));
  const drawn = rows.map(({ label, values }, index) => {
    const middle = index * ROW + ROW / 2;
    const places = values.flatMap((value) => (value === null ? [] : [x(value)]));
    const [first, last] = [Math.min(...places), Math.max(...places)];
    const line = places.length < 2 ? "" : `<line class="span" x1="${px(first)}" x2="${px(last)}" y1="${px(middle)}" y2="${px(middle)}"/>`;
    // The larger ones below: of two at one place both are seen.
    const points = values.map((value, which) =>
      value === null ? "" : `<circle class="${markClass(which)}" cx="${px(x(value))}" cy="${px(middle)}" r="${px(3.4 + 1.4 * which)}"/>`,
    );
    const text = values.map((value) => (value === null ? "-" : formatted(value))).join(" / ");
    return [name(label, middle), line, ...points.toReversed(), number(text, middle)].join("");
  });
  return withAxis(drawn, ticks, x);
}

/** Medians, high percentiles and the longest are told apart by it in every chart. */
export function markClass(which: number): string {
  return `s${[2, 1, 0, 4][which] ?? which % COLOURS}`;
}

function withAxis(rows: readonly string[], ticks: readonly Tick[], x: Scale): Shapes {
  const bottom = rows.length * ROW;
  const grid = ticks.map(
    ({ at, text }) =>
      `<line class="grid" x1="${px(x(at))}" x2="${px(x(at))}" y1="0" y2="${bottom}"/><text x="${px(x(at))}" y="${bottom + 15}" text-anchor="middle">${escaped(text)}</text>`,
  );
  return { height: bottom + AXIS, shapes: [...grid, ...rows] };
}

function spread(low: number, high: number, middle: number): string {
  const cap = (at: number) => `M${px(at)} ${px(middle - 4)}V${px(middle + 4)}`;
  return `<path class="spread" d="M${px(low)} ${px(middle)}H${px(high)}${cap(low)}${cap(high)}"/>`;
}

function name(label: string, middle: number): string {
  const shown = label.length > NAME_MAX ? `${label.slice(0, NAME_MAX - 1)}…` : label;
  return `<text class="name" x="${LEFT - 8}" y="${px(middle + 4)}" text-anchor="end">${escaped(shown)}${shown === label ? "" : `<title>${escaped(label)}</title>`}</text>`;
}

function number(text: string, middle: number): string {
  return `<text class="number" x="${WIDTH - RIGHT + 18}" y="${px(middle + 4)}">${escaped(text)}</text>`;
}

function barText({ value, low, high, goal }: Bars["bars"][number]): string {
  const range = low !== undefined && high !== undefined && high > low ? ` (${formatted(low)} to ${formatted(high)})` : "";
  return `${formatted(value)}${range}${goal === undefined ? "" : `, goal ${goal.better === "more" ? "≥" : "≤"} ${formatted(goal.at)}`}`;
}
