import { escaped } from "../../engine/kernel/escaped.ts";
import { COLOURS, evenTicks, linear, logTicks, px, type Scale, type Tick, WIDTH } from "./scale.ts";

/** Lines, or bars that stand on each other, over one axis, as SVG: no script, no other file. Colours are those of the classes `s0` to `s7`. */

export interface Series {
  name: string;
  /** Rising in x. */
  points: readonly (readonly [x: number, y: number])[];
}

export interface Chart {
  title: string;
  series: readonly Series[];
  xLabel: string;
  yLabel: string;
  yScale: "linear" | "log";
  /** Of values of x; evenly spaced ones where left out. */
  xTicks?: readonly Tick[];
  /** Bars that stand on each other, of this width in x; lines where left out. */
  barWidth?: number;
}

export const LINES_HEIGHT = 260;
const HEIGHT = LINES_HEIGHT;
const LEFT = 64;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 44;

/** Points of one line: more are not told apart at this width. */
const POINTS_MAX = 1_000;

/** A figure of a page, with its title and its legend. */
export function lineFigure(chart: Chart): string {
  const { title, series } = chart;
  return [
    `<figure><figcaption>${escaped(title)}</figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${title}: ${series.map(({ name }) => name).join(", ")}`)}">`,
    ...lineShapes(chart),
    "</svg>",
    `<p class="legend">${series.map(({ name }, index) => `<span><i class="${lineClass(index)}"></i>${escaped(name)}</span>`).join(" ")}</p>`,
    "</figure>",
  ].join("\n");
}

/** What is drawn on 860 by 260, without title and legend. */
export function lineShapes(chart: Chart): string[] {
  const { series, xLabel, yLabel, barWidth } = chart;
  const shown = series.map(({ name, points }) => ({ name, points: barWidth === undefined ? thinned(points) : points }));
  const x = linear(xDomain(shown, barWidth ?? 0), LEFT, WIDTH - RIGHT);
  const { scale: y, ticks } = yAxis(chart, shown);
  const grid = ticks.map(
    ({ at, text }) =>
      `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${px(y(at))}" y2="${px(y(at))}"/><text x="${LEFT - 6}" y="${px(y(at) + 4)}" text-anchor="end">${escaped(text)}</text>`,
  );
  const across = (chart.xTicks ?? evenTicks(xDomain(shown, barWidth ?? 0))).map(
    ({ at, text }) => `<text x="${px(x(at))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${escaped(text)}</text>`,
  );
  const drawn = barWidth === undefined ? shown.map((one, index) => line(one, index, x, y)) : bars(shown, barWidth, x, y);
  return [
    ...grid,
    ...across,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(xLabel)}</text>`,
    `<text x="14" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(yLabel)}</text>`,
    ...drawn,
  ];
}

function yAxis({ yScale, barWidth }: Chart, series: readonly Series[]): { scale: Scale; ticks: readonly Tick[] } {
  const values = barWidth === undefined ? series.flatMap(({ points }) => points.map(([, y]) => y)) : [...stacked(series).values()];
  const most = values.reduce((known, value) => Math.max(known, value), 0);
  const [start, end] = [HEIGHT - BOTTOM, TOP];
  if (yScale === "linear") {
    const domain = [0, most || 1] as const;
    return { scale: linear(domain, start, end), ticks: evenTicks(domain) };
  }
  const { low, high, ticks } = logTicks(values);
  const scale = linear([low, high], start, end);
  return { scale: (value) => scale(Math.log10(Math.max(value, 10 ** low))), ticks };
}

function xDomain(series: readonly Series[], barWidth: number): readonly [number, number] {
  const all = series.flatMap(({ points }) => points.map(([x]) => x));
  const [least, most] = all.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [all[0] ?? 0, all[0] ?? 1]);
  // A bar ends at its x.
  return [Math.min(least - barWidth, most - 1), most];
}

/** Where there are more lines than colours, the further ones are broken: `again`. */
function lineClass(index: number): string {
  return index < COLOURS ? `s${index}` : `s${index % COLOURS} again`;
}

function line({ points }: Series, index: number, x: Scale, y: Scale): string {
  const path = points.map(([at, value]) => `${px(x(at))},${px(y(value))}`).join(" ");
  const [only] = points;
  // A line of one point would be none.
  if (points.length === 1 && only !== undefined)
    return `<circle class="${lineClass(index)}" cx="${px(x(only[0]))}" cy="${px(y(only[1]))}" r="3"/>`;
  return `<polyline class="${lineClass(index)}" points="${path}"/>`;
}

function bars(series: readonly Series[], width: number, x: Scale, y: Scale): string[] {
  const below = new Map<number, number>();
  return series.flatMap(({ points }, index) =>
    points
      .filter(([, value]) => value > 0)
      .map(([at, value]) => {
        const from = below.get(at) ?? 0;
        below.set(at, from + value);
        const [left, right, top, bottom] = [x(at - width), x(at), y(from + value), y(from)];
        return `<rect class="s${index % COLOURS}" x="${px(left)}" y="${px(top)}" width="${px(Math.max(1, right - left - 0.5))}" height="${px(bottom - top)}"/>`;
      }),
  );
}

/** How high the bars at each x are together. */
function stacked(series: readonly Series[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const { points } of series) for (const [x, y] of points) sums.set(x, (sums.get(x) ?? 0) + y);
  return sums;
}

/** Of each stretch its highest point, so that no peak is lost. */
function thinned(points: Series["points"]): Series["points"] {
  const stretch = Math.ceil(points.length / POINTS_MAX);
  if (stretch <= 1) return points;
  return Array.from({ length: Math.ceil(points.length / stretch) }, (_, index) =>
    points.slice(index * stretch, (index + 1) * stretch),
  ).flatMap((some) => {
    const highest = some.reduce<readonly [number, number] | undefined>(
      (known, point) => (known === undefined || point[1] > known[1] ? point : known),
      undefined,
    );
    return highest === undefined ? [] : [highest];
  });
}
