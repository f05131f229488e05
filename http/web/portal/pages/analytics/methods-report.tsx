import { useEffect } from "preact/hooks";
import type { MethodsReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import type { ChartSeries } from "../../components/chart-figures.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { Panel } from "../../components/panel.tsx";
import type { Column } from "../../components/table.tsx";
import type { FigureText } from "../../i18n/analytics.en.ts";
import { formatDays } from "../../i18n/days.ts";
import { declineAsItCame, declineWords } from "../../i18n/decline-text.ts";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { methodName } from "../transactions/words.ts";
import { earlierOf } from "./earlier.ts";
import { type Shown, transactionFilters } from "./filters.ts";
import { Breakdown, figureColumn, PointChart, ShareBar } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = MethodsReportJson["totals"][number];
type Sums = Omit<Figures, "method">;
type Decline = MethodsReportJson["declines"][number];

/** People cannot distinguish more colours, and no more methods have a volume. */
const DRAWN_MAX = 4;

/** Shows how customers pay, and why some payments fail. */
export function MethodsReport(props: ReportProps) {
  const { shown } = props;
  useEffect(preloadCharts, []);
  return (
    <ReportFrame<Figures, MethodsReportJson> {...props} weigh={({ approved, declined }) => approved + declined}>
      {(report, { currency }) => {
        const of = <One extends { currency: string }>(all: readonly One[]) => all.filter((one) => one.currency === currency);
        return (
          <>
            <Methods report={report} shown={shown} currency={currency} />
            <Declines declines={of(report.declines)} shown={shown} currency={currency} />
            <Brands rows={of(report.brands)} />
            <Entries rows={of(report.entries)} />
          </>
        );
      }}
    </ReportFrame>
  );
}

function Methods({ report, shown, currency }: { report: MethodsReportJson; shown: Shown; currency: string }) {
  const { methods: words, method, ofSteps, before } = analyticsText();
  const totals = report.totals.filter((one) => one.currency === currency).sort((one, other) => other.volumeMinor - one.volumeMinor);
  const drawn = totals.filter(({ volumeMinor }) => volumeMinor > 0).slice(0, DRAWN_MAX);
  const title = `${words.volume} ${ofSteps[report.granularity]}`;
  const { previous } = report;
  const compared: ChartSeries[] =
    previous === null
      ? []
      : [
          {
            label: `${before} · ${formatDays(previous.from, previous.to)}`,
            kind: "dashes",
            values: earlierOf(report.granularity, report, previous).map(
              (earlier) => earlier && totals.reduce((sum, one) => sum + volumeIn(earlier.figures, one), 0),
            ),
          },
        ];
  const columns: Column<Figures>[] = [
    {
      key: "method",
      header: method,
      cell: (one) => (
        <a href={listHref("transactions", { ...transactionFilters({ ...shown, method: one.method }, shown.days, currency) })}>
          {methodName(one.method)}
        </a>
      ),
    },
    ...sumColumns<Figures>(),
  ];
  return (
    <>
      <Panel title={title}>
        <PointChart
          title={title}
          points={report.series}
          granularity={report.granularity}
          kind="money"
          currency={currency}
          stacked
          series={[
            ...drawn.map((one) => ({
              label: methodName(one.method),
              kind: "bars" as const,
              values: report.series.map((point) => volumeIn(point.figures, one)),
            })),
            ...compared,
          ]}
          hrefOf={(days) => listHref("transactions", { ...transactionFilters(shown, days, currency), status: "OK" })}
        />
      </Panel>
      <Breakdown title={words.table} columns={columns} rows={totals} keyOf={(one) => one.method} means={sumMeans()} />
    </>
  );
}

function volumeIn(figures: readonly Figures[], { currency, method }: Figures): number {
  return figures.find((one) => one.currency === currency && one.method === method)?.volumeMinor ?? 0;
}

function sumColumns<Row extends Sums>(): Column<Row>[] {
  const { methods } = analyticsText().figures;
  const column = (of: "volumeMinor" | "approved" | "declined" | "approvalRate" | "averageTicketMinor", kind: "money" | "count" | "share") =>
    figureColumn<typeof of, Row>(of, kind, methods);
  return [
    { key: "share", header: methods.share.label, cell: ({ share }) => <ShareBar share={share} /> },
    column("volumeMinor", "money"),
    column("approved", "count"),
    column("declined", "count"),
    column("approvalRate", "share"),
    column("averageTicketMinor", "money"),
  ];
}

/** Explains the columns of these tables. */
function sumMeans(): FigureText[] {
  const { methods } = analyticsText().figures;
  return meansOf(methods, ["share", "volumeMinor", "approved", "declined", "approvalRate", "averageTicketMinor"]);
}

function meansOf<Name extends string, Text>(texts: Readonly<Record<Name, Text>>, names: readonly Name[]): Text[] {
  return names.map((name) => texts[name]);
}

function Declines({ declines, shown, currency }: { declines: readonly Decline[]; shown: Shown; currency: string }) {
  const { methods: words, figures } = analyticsText();
  if (declines.length === 0) {
    return (
      <Panel title={words.declines}>
        <EmptyState icon="check" title={words.declinesEmptyTitle}>
          {words.declinesEmptyText}
        </EmptyState>
      </Panel>
    );
  }
  const href = listHref("transactions", { ...transactionFilters(shown, shown.days, currency), status: "KO" });
  const columns: Column<Decline>[] = [
    {
      key: "reason",
      header: words.reason,
      cell: (decline) => {
        const reason = declineWords(decline)?.reason;
        const raw = declineAsItCame(decline);
        return (
          <span class="two-lines">
            <a href={href}>{reason ?? (raw === "" ? words.noReason : raw)}</a>
            {reason !== undefined && raw !== "" && <span class="second-line">{raw}</span>}
          </span>
        );
      },
    },
    figureColumn("declined", "count", figures.methods),
    figureColumn("declinedMinor", "money", figures.methods),
  ];
  return (
    <Breakdown
      title={words.declines}
      hint={words.declinesHint}
      columns={columns}
      rows={declines}
      keyOf={({ actionCode, message }) => `${actionCode} ${message}`}
      means={meansOf(figures.methods, ["declined", "declinedMinor"])}
    />
  );
}

function Brands({ rows }: { rows: MethodsReportJson["brands"] }) {
  const { methods: words, unknown } = analyticsText();
  if (rows.length === 0) return null;
  return (
    <Breakdown
      title={words.brands}
      columns={[{ key: "brand", header: words.brand, cell: ({ brand }) => brand || unknown }, ...sumColumns<(typeof rows)[number]>()]}
      rows={rows}
      keyOf={({ brand }) => brand}
      means={sumMeans()}
    />
  );
}

function Entries({ rows }: { rows: MethodsReportJson["entries"] }) {
  const { methods: words, unknown } = analyticsText();
  const names: Readonly<Record<string, string>> = text().transactions.entries;
  if (rows.length === 0) return null;
  return (
    <Breakdown
      title={words.entries}
      columns={[
        { key: "entry", header: words.entry, cell: ({ entry }) => names[entry] ?? (entry || unknown) },
        ...sumColumns<(typeof rows)[number]>(),
      ]}
      rows={rows}
      keyOf={({ entry }) => entry}
      means={sumMeans()}
    />
  );
}
