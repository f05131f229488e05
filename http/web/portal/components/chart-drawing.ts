import UPlot from "uplot";
import type { ChartProps, ChartSeries } from "./chart-figures.ts";

const HEIGHT_PX = 240;

/** Draws with uPlot into `place`, as wide as it is, and again when it or the theme changes. */
export function draw(place: HTMLElement, props: ChartProps): { destroy(): void } {
  let plot = begin();
  function begin(): UPlot {
    return new UPlot(
      optionsOf(place, props),
      [props.labels.map((_, index) => index), ...props.series.map(({ values }) => [...values])],
      place,
    );
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

function optionsOf(place: HTMLElement, { labels, series, format, formatAxis = format }: ChartProps): UPlot.Options {
  const ink = inkOf(place);
  const axis = { stroke: ink("chart-ink-axis"), font: "12px system-ui, sans-serif", ticks: { show: false } };
  return {
    width: place.clientWidth,
    height: HEIGHT_PX,
    padding: [12, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: false, range: [-0.6, labels.length - 0.4] }, y: { range: (_, _min, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_, splits) => splits.map((at) => labels[at] ?? ""),
        incrs: [1, 2, 3, 4, 6, 12, 24],
        space: 44,
        size: 28,
      },
      { ...axis, grid: { stroke: ink("chart-ink-grid"), width: 1 }, values: (_, splits) => splits.map(formatAxis), size: 64 },
    ],
    series: [{}, ...series.map((one, index) => seriesOf(one, ink(`chart-ink-${index}`)))],
    hooks: { setCursor: [(plot) => tell(plot, place, { labels, series, format })] },
  };
}

function seriesOf({ label, kind }: ChartSeries, colour: string): UPlot.Series {
  if (kind === "line") return { label, stroke: colour, width: 2, dash: [5, 4], points: { show: false } };
  const bars = UPlot.paths.bars?.({ size: [0.62, 28], radius: 0.25 });
  return { label, fill: colour, stroke: colour, width: 0, points: { show: false }, ...(bars === undefined ? {} : { paths: bars }) };
}

/** The figures below the mouse, in a small box beside it. */
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

/** A canvas needs colours, not names of them: what the style sheet makes of a class. */
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
