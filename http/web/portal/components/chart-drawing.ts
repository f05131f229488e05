import UPlot from "uplot";
import { type ChartProps, type ChartSeries, shareAxis } from "./chart-figures.ts";

const HEIGHT_PX = 240;

/** Counted things have no halves, so their axis uses whole steps. */
const WHOLE_STEPS = Array.from({ length: 14 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat();

/** The number of points from one label to the next, for hours, days and weeks. */
const LABEL_STEPS = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 56, 84, 112, 168];

/** More points would hide the line. */
const POINTS_MAX = 45;

interface Drawn extends ChartProps {
  /** Runs when the person wants to see the list behind a label. */
  pick: (index: number) => void;
}

/** Draws with uPlot in the width of `place`, and again when the width or the theme changes. */
export function draw(place: HTMLElement, props: Drawn): { destroy(): void } {
  let plot = begin();
  function begin(): UPlot {
    const made = new UPlot(
      optionsOf(place, props),
      [props.labels.map((_, index) => index), ...drawnOrder(props).map(({ heights }) => [...heights])],
      place,
    );
    if (props.hrefOf !== undefined) listen(made, props.pick);
    return made;
  }
  function again(): void {
    plot.destroy();
    plot = begin();
  }
  const width = new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT_PX }));
  width.observe(place);
  const theme = new MutationObserver(again);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", again);
  return {
    destroy: () => {
      width.disconnect();
      theme.disconnect();
      system.removeEventListener("change", again);
      plot.destroy();
    },
  };
}

/**
 * A click opens the list of a point. A first tap only shows its figures, because a finger cannot
 * hover.
 */
function listen({ over, cursor }: UPlot, pick: (index: number) => void): void {
  let touched: number | null = null;
  over.classList.add("chart-opens");
  over.addEventListener("click", (event) => {
    const { idx } = cursor;
    if (idx === null || idx === undefined) return;
    const isFinger = event instanceof PointerEvent && event.pointerType === "touch";
    if (!isFinger || touched === idx) pick(idx);
    touched = idx;
  });
}

interface DrawnSeries extends ChartSeries {
  /** The place among the series, which decides the colour. */
  index: number;
  /** The drawn heights. A stacked bar includes all bars between it and the axis. */
  heights: readonly (number | null)[];
}

/**
 * Draws stacked bars from the highest to the lowest, so that each covers the one behind it. The
 * compared series follow.
 */
function drawnOrder({ series, stacked }: Pick<ChartProps, "series" | "stacked">): DrawnSeries[] {
  const all = series.map((one, index): DrawnSeries => ({ ...one, index, heights: one.values }));
  if (stacked !== true) return all;
  const bars = all.filter(({ kind }) => kind === "bars");
  const stack = bars.map((one, place) => ({
    ...one,
    heights: one.values.map((value, at) => reach(bars.slice(0, place + 1), at, (value ?? 0) < 0)),
  }));
  return [...stack.reverse(), ...all.filter(({ kind }) => kind !== "bars")];
}

/** Negative values stack below the axis, separately from positive ones. */
function reach(bars: readonly ChartSeries[], at: number, below: boolean): number {
  return bars.map(({ values }) => values[at] ?? 0).reduce((sum, value) => (value < 0 === below ? sum + value : sum), 0);
}

function optionsOf(place: HTMLElement, props: ChartProps): UPlot.Options {
  const { labels, axisLabels = labels, format, formatAxis = format } = props;
  const ink = inkOf(place);
  const axis = { stroke: ink("chart-ink-axis"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  const order = drawnOrder(props);
  const ends = props.areShares === true ? shareAxis(props.series) : null;
  const areWhole = ends === null && order.every(({ heights }) => heights.every((value) => value === null || Number.isInteger(value)));
  return {
    width: place.clientWidth,
    height: HEIGHT_PX,
    padding: [12, 20, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: {
      x: { time: false, range: [-0.6, labels.length - 0.4] },
      y: {
        range: (_, min, max) => (ends === null ? [min < 0 ? min * 1.08 : 0, max > 0 ? max * 1.08 : 1] : [ends.from, ends.to]),
      },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => axisLabels[at] ?? ""),
        incrs: LABEL_STEPS,
        space: 52,
        size: 28,
      },
      {
        ...axis,
        grid: { stroke: ink("chart-ink-grid"), width: 1 },
        values: (_, splits) => splits.map(formatAxis),
        size: 64,
        ...(areWhole ? { incrs: WHOLE_STEPS } : {}),
      },
    ],
    series: [{}, ...order.map((one) => seriesOf(one, ink(`chart-ink-${one.index}`), labels.length))],
    hooks: { setCursor: [(plot) => tell(plot, place, props)] },
  };
}

function seriesOf({ label, kind }: ChartSeries, colour: string, count: number): UPlot.Series {
  const line = { label, stroke: colour, width: 2 };
  if (kind === "dashes") return { ...line, dash: [5, 4], points: { show: false } };
  if (kind === "line") return { ...line, points: { show: count <= POINTS_MAX, size: 6, fill: colour } };
  const bars = UPlot.paths.bars?.({ size: [0.62, 28], radius: 0.25 });
  return { label, fill: colour, stroke: colour, width: 0, points: { show: false }, ...(bars === undefined ? {} : { paths: bars }) };
}

/** Shows the figures of the hovered point in a small box. */
function tell(plot: UPlot, place: HTMLElement, { labels, series, format }: Pick<ChartProps, "labels" | "series" | "format">): void {
  const box =
    place.querySelector<HTMLElement>(".chart-tip") ??
    place.appendChild(Object.assign(document.createElement("div"), { className: "chart-tip" }));
  const { idx, left } = plot.cursor;
  box.hidden = idx === null || idx === undefined || left === undefined || left < 0;
  if (idx === null || idx === undefined || left === undefined) return;
  box.replaceChildren(
    line(labels[idx] ?? "", "chart-tip-title"),
    ...series.map(({ label, values }) => line(`${label}: ${values[idx] == null ? "–" : format(values[idx])}`, "chart-tip-line")),
  );
  const most = place.clientWidth - box.offsetWidth - 4;
  box.style.left = `${Math.max(4, Math.min(most, left + plot.over.offsetLeft + 12))}px`;
}

function line(words: string, className: string): HTMLElement {
  const element = document.createElement("div");
  element.className = className;
  element.textContent = words;
  return element;
}

/** A canvas needs colour values, so this reads what the style sheet sets for a class. */
function inkOf(place: HTMLElement): (className: string) => string {
  return (className) => {
    const probe = document.createElement("span");
    probe.className = className;
    place.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
}
