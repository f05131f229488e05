import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { Granularity } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { Button } from "../../components/button.tsx";
import { Chart } from "../../components/chart.tsx";
import type { ChartSeries } from "../../components/chart-figures.ts";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Tile } from "../../components/tile.tsx";
import type { FigureText } from "../../i18n/analytics.en.ts";
import { formatPercent } from "../../i18n/format.ts";
import { type Better, changeOf } from "./change.ts";
import { figureText, type InCurrency, type Kind, type Point, pointNames, shortText } from "./report.ts";
import { analyticsText } from "./texts.ts";

/** The numeric members of figures: amounts, counts and rates. */
export type Measured<Name extends string> = { readonly [name in Name]: number | null };

/** Describes how a tile shows a figure. */
export interface Shows<Name extends string> {
  of: Name;
  kind: Kind;
  better: Better;
  /** The list that the figure counts. */
  href?: string;
  note?: ComponentChildren;
}

/** Shows the figures of the whole period with their comparison and meaning. */
export function FigureTiles<Name extends string, Figures extends Measured<Name>>({
  view: { total, before, currency },
  words,
  shows,
  children,
}: {
  view: Pick<InCurrency<Figures>, "total" | "before" | "currency">;
  words: Readonly<Record<Name, FigureText>>;
  shows: readonly Shows<Name>[];
  /** A tile for a figure without a currency. */
  children?: ComponentChildren;
}) {
  return (
    <div class="tiles tiles-four">
      {shows.map(({ of, kind, better, href, note }) => {
        const now = figureOf(total, of, kind);
        return (
          <Tile
            key={of}
            label={words[of].label}
            about={words[of].about}
            value={figureText(now, kind, currency)}
            change={before && changeOf(now, figureOf(before.total, of, kind), kind, before, better)}
            note={note}
            href={href}
          />
        );
      })}
      {children}
    </div>
  );
}

/** Without figures of a currency, its counts and amounts are zero and its rates have no value. */
function figureOf<Name extends string>(figures: Measured<Name> | null, of: Name, kind: Kind): number | null {
  if (figures !== null) return figures[of];
  return kind === "money" || kind === "count" ? 0 : null;
}

/** Returns the series of a figure, and the series that it is compared with. */
export function seriesOf<Name extends string, Figures extends Measured<Name>>(
  { points, before }: Pick<InCurrency<Figures>, "points" | "before">,
  { of, kind, label, as }: { of: Name; kind: Kind; label: string; as: "bars" | "line" },
): ChartSeries[] {
  const values = points.map((point) => figureOf(point.of, of, kind));
  if (before === null) return [{ label, kind: as, values }];
  // The previous month may have a different number of days.
  const earlier = before.points.map((point) => point && figureOf(point.of, of, kind));
  return [
    { label, kind: as, values },
    { label: `${analyticsText().before} · ${before.days}`, kind: "dashes", values: earlier },
  ];
}

/** Draws a chart over the intervals of a report. */
export function PointChart({
  title,
  points,
  granularity,
  series,
  kind,
  currency,
  stacked = false,
  hrefOf,
}: {
  title: string;
  points: readonly Pick<Point<unknown>, "start" | "from" | "to">[];
  granularity: Granularity;
  series: readonly ChartSeries[];
  kind: Kind;
  currency: string;
  stacked?: boolean;
  hrefOf?: (point: Pick<Point<unknown>, "from" | "to">) => string;
}) {
  // Bars below the axis of a stack show another group, not negative amounts.
  const sizeOf = (value: number) => (stacked ? Math.abs(value) : value);
  const severalDays = points[0]?.from !== points.at(-1)?.to;
  const names = toldApart(
    points,
    points.map((point) => pointNames(point, granularity, severalDays)),
  );
  return (
    <Chart
      title={title}
      labels={names.map(({ name }) => name)}
      axisLabels={names.map(({ short }) => short)}
      labelsTitle={analyticsText().time}
      series={series}
      stacked={stacked}
      areShares={kind === "share"}
      format={(value) => figureText(sizeOf(value), kind, currency)}
      formatAxis={(value) => shortText(sizeOf(value), kind, currency)}
      {...(hrefOf === undefined
        ? {}
        : {
            hrefOf: (index) => {
              const point = points[index];
              return point === undefined ? null : hrefOf(point);
            },
          })}
    />
  );
}

/** Adds the offset from UTC to an hour that occurs twice on a day. */
function toldApart<Name extends { name: string }>(points: readonly Pick<Point<unknown>, "start">[], names: readonly Name[]): Name[] {
  const counts = new Map<string, number>();
  for (const { name } of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.map((one, index) =>
    (counts.get(one.name) ?? 0) < 2 ? one : { ...one, name: `${one.name} (UTC${points[index]?.start.slice(-"+HH:MM".length)})` },
  );
}

/** Lists what the figures consist of, largest first, and explains the columns. */
export function Breakdown<Row>({
  title,
  hint,
  columns,
  rows,
  keyOf,
  means,
}: {
  title: string;
  hint?: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  means: readonly FigureText[];
}) {
  return (
    <Panel flush title={title} {...(hint === undefined ? {} : { hint })}>
      <Table caption={title} columns={columns} rows={rows} keyOf={keyOf} />
      <Definitions of={means} />
    </Panel>
  );
}

/** Returns a table column for a figure. */
export function figureColumn<Name extends string, Row extends Measured<Name> & { currency: string }>(
  of: Name,
  kind: Kind,
  words: Readonly<Record<Name, FigureText>>,
  more: { priority?: 1 | 2 | 3 } = {},
): Column<Row> {
  return {
    key: of,
    header: words[of].label,
    align: "right",
    cell: (row) => <span class="nowrap">{figureText(row[of], kind, row.currency)}</span>,
    ...more,
  };
}

/** Shows a part of a whole as a bar and as a figure. */
export function ShareBar({ share }: { share: number | null }) {
  if (share === null) return <>–</>;
  return (
    <span class="share">
      <progress class="share-bar" max={1} value={share} aria-hidden="true" />
      <span class="share-figure">{formatPercent(share)}</span>
    </span>
  );
}

/** Explains the figures on request. */
export function Definitions({ of }: { of: readonly FigureText[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <div class="definitions no-print">
      <Button small kind="quiet" icon="info" onClick={() => setOpen(!open)} expands={{ id, open }}>
        {analyticsText().definitions}
      </Button>
      {open && (
        <dl id={id}>
          {of.map(({ label, about }) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{about}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
