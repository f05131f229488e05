import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import { text } from "../i18n/texts.ts";
import { Button } from "./button.tsx";
import { type ChartProps, shareAxis } from "./chart-figures.ts";
import { Skeleton } from "./skeleton.tsx";
import { Table } from "./table.tsx";

const loadDrawing = () => import("./chart-drawing.ts");

/** Starts to load the chart library while a page still loads its figures. */
export function preloadCharts(): void {
  // After a failure the chart shows its figures as a table.
  loadDrawing().catch(() => {});
}

/**
 * Shows a chart, and the same figures as a table for screen readers. The first chart loads the
 * library.
 */
export function Chart(props: ChartProps) {
  const [asTable, setAsTable] = useState(false);
  const { app } = text();
  const ends = props.areShares === true ? shareAxis(props.series) : null;
  return (
    <div class="chart">
      <div class="chart-head">
        <ul class="chart-legend" aria-hidden={asTable ? "true" : undefined}>
          {props.series.map(({ label, kind }, index) => (
            <li key={label}>
              <span class={`chart-key chart-ink-${index} chart-key-${kind}`} aria-hidden="true" />
              {label}
            </li>
          ))}
        </ul>
        <Button small kind="quiet" onClick={() => setAsTable(!asTable)}>
          {asTable ? app.showAsChart : app.showAsTable}
        </Button>
      </div>
      {ends !== null && ends.from > 0 && !asTable && (
        <p class="chart-note">{app.axisRange(props.format(ends.from), props.format(ends.to))}</p>
      )}
      {asTable ? <FigureTable {...props} /> : <Drawing {...props} />}
    </div>
  );
}

function FigureTable({ title, labels, labelsTitle, series, format, hrefOf }: ChartProps) {
  const rows = labels.map((label, index) => ({ label, index, href: hrefOf?.(index) ?? null }));
  return (
    <Table
      caption={title}
      rows={rows}
      keyOf={({ index }) => String(index)}
      columns={[
        { key: "label", header: labelsTitle, cell: ({ label, href }) => (href === null ? label : <a href={href}>{label}</a>) },
        ...series.map(({ label, values }) => ({
          key: label,
          header: label,
          align: "right" as const,
          cell: ({ index }: { index: number }) => {
            const value = values[index] ?? null;
            return value === null ? "–" : format(value);
          },
        })),
      ]}
    />
  );
}

function Drawing(props: ChartProps) {
  const { route } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const latest = useRef(props);
  latest.current = props;
  const [state, setState] = useState<"loading" | "drawn" | "failed">("loading");
  // The text of the figures changes only if they do, so that a refresh does not draw them again.
  const figures = JSON.stringify([props.labels, props.axisLabels, props.series]);
  // The link of a label may change while its figures do not.
  const pick = useRef((_index: number) => {});
  pick.current = (index) => {
    const href = latest.current.hrefOf?.(index) ?? null;
    if (href !== null) route(href);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: it depends on the figures.
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let drawing: { destroy(): void } | null = null;
    let gone = false;
    loadDrawing().then(
      ({ draw }) => {
        if (gone) return;
        drawing = draw(current, { ...latest.current, pick: (index) => pick.current(index) });
        setState("drawn");
      },
      () => setState("failed"),
    );
    return () => {
      gone = true;
      drawing?.destroy();
    };
  }, [figures]);
  return (
    <>
      {state === "loading" && <Skeleton lines={1} tall />}
      {state === "failed" && <FigureTable {...props} />}
      <div ref={place} class="chart-drawing" role="img" aria-label={props.title} />
    </>
  );
}
