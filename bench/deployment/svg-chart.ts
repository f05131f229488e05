import { escaped } from "../../http/surfaces/buyer-document.ts";

/** Pictures of a run as SVG in a page: no script, no other file. Colours are the page's, by the classes `s0` to `s7`. */

export interface Series {
  name: string;
  /** Rising in x. */
  points: readonly (readonly [x: number, y: number])[];
}

interface Tick {
  at: number;
  text: string;
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

const WIDTH = 860;
const HEIGHT = 260;
const LEFT = 64;
const RIGHT = 12;
const TOP = 12;
const BOTTOM = 44;
const COLOURS = 8;

/** Points of one line: more are not told apart at this width. */
const POINTS_MAX = 1_000;

export function svgChart(chart: Chart): string {
  const { title, series, xLabel, yLabel, barWidth } = chart;
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
    `<figure><figcaption>${escaped(title)}</figcaption>`,
    `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(`${title}: ${series.map(({ name }) => name).join(", ")}`)}">`,
    ...grid,
    ...across,
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${escaped(xLabel)}</text>`,
    `<text x="14" y="${(TOP + HEIGHT - BOTTOM) / 2}" text-anchor="middle" transform="rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})">${escaped(yLabel)}</text>`,
    ...drawn,
    "</svg>",
    `<p class="legend">${series.map(({ name }, index) => `<span><i class="s${index % COLOURS}"></i>${escaped(name)}</span>`).join(" ")}</p>`,
    "</figure>",
  ].join("\n");
}

type Scale = (value: number) => number;

function linear([from, to]: readonly [number, number], start: number, end: number): Scale {
  const span = to - from || 1;
  return (value) => start + ((value - from) / span) * (end - start);
}

function yAxis({ yScale, barWidth }: Chart, series: readonly Series[]): { scale: Scale; ticks: readonly Tick[] } {
  const values = barWidth === undefined ? series.flatMap(({ points }) => points.map(([, y]) => y)) : [...stacked(series).values()];
  const most = values.reduce((known, value) => Math.max(known, value), 0);
  const [start, end] = [HEIGHT - BOTTOM, TOP];
  if (yScale === "linear") {
    const domain = [0, most || 1] as const;
    return { scale: linear(domain, start, end), ticks: evenTicks(domain) };
  }
  const least = values.reduce((known, value) => (value > 0 ? Math.min(known, value) : known), most || 1);
  const [low, high] = [
    Math.floor(Math.log10(least || 1)),
    Math.max(Math.floor(Math.log10(least || 1)) + 1, Math.ceil(Math.log10(most || 1))),
  ];
  const steps = high - low <= 2 ? [1, 2, 5] : [1];
  const ticks = Array.from({ length: high - low + 1 }, (_, decade) => steps.map((step) => step * 10 ** (low + decade)))
    .flat()
    .filter((at) => at <= 10 ** high)
    .map((at) => ({ at, text: short(at) }));
  const scale = linear([low, high], start, end);
  return { scale: (value) => scale(Math.log10(Math.max(value, 10 ** low))), ticks };
}

function xDomain(series: readonly Series[], barWidth: number): readonly [number, number] {
  const all = series.flatMap(({ points }) => points.map(([x]) => x));
  const [least, most] = all.reduce(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [all[0] ?? 0, all[0] ?? 1]);
  // A bar ends at its x.
  return [Math.min(least - barWidth, most - 1), most];
}

/** Some four to eight, at 1, 2 or 5 times a power of ten. */
function evenTicks([from, to]: readonly [number, number]): Tick[] {
  const rough = (to - from) / 6 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step);
  const last = Math.floor(to / step + 1e-9);
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => (first + index) * step).map((at) => ({ at, text: short(at) }));
}

function line({ points }: Series, index: number, x: Scale, y: Scale): string {
  const path = points.map(([at, value]) => `${px(x(at))},${px(y(value))}`).join(" ");
  const [only] = points;
  // A line of one point would be none.
  if (points.length === 1 && only !== undefined)
    return `<circle class="s${index % COLOURS}" cx="${px(x(only[0]))}" cy="${px(y(only[1]))}" r="3"/>`;
  return `<polyline class="s${index % COLOURS}" points="${path}"/>`;
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

function px(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function short(value: number): string {
  return String(Number(value.toPrecision(6)));
}
