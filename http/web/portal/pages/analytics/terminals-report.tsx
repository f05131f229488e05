import { useEffect } from "preact/hooks";
import type { TerminalsReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { Panel } from "../../components/panel.tsx";
import type { Column } from "../../components/table.tsx";
import { Tile } from "../../components/tile.tsx";
import { Time } from "../../components/time.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { listHref } from "../../list/declaration.ts";
import { changeOf } from "./change.ts";
import { earlierOf } from "./earlier.ts";
import { transactionFilters } from "./filters.ts";
import { Breakdown, FigureTiles, figureColumn, PointChart, ShareBar } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = TerminalsReportJson["totals"][number];
type Line = TerminalsReportJson["terminals"][number];

/** Shows the payments of each terminal, and how many terminals are used. */
export function TerminalsReport(props: ReportProps) {
  const { shown } = props;
  const { figures, terminals: words, terminal, ofSteps, before } = analyticsText();
  useEffect(preloadCharts, []);
  return (
    <ReportFrame<Figures, TerminalsReportJson> {...props} weigh={({ approved, declined }) => approved + declined}>
      {({ terminals, from, series, activeTerminals, previous, granularity }, view) => {
        const { currency } = view;
        const of = (filters: { terminalId?: string; status?: string } = {}, days = shown.days) =>
          listHref("transactions", { ...transactionFilters(shown, days, currency), ...filters });
        const lines = terminals.filter((one) => one.currency === currency);
        const whole = view.total?.volumeMinor ?? 0;
        const title = `${words.active} ${ofSteps[granularity]}`;
        const columns: Column<Line>[] = [
          { key: "terminal", header: terminal, cell: ({ terminalId }) => <a href={of({ terminalId })}>{terminalId}</a> },
          {
            key: "share",
            header: figures.methods.share.label,
            cell: ({ volumeMinor }) => <ShareBar share={whole === 0 ? null : volumeMinor / whole} />,
          },
          figureColumn("volumeMinor", "money", figures.terminals),
          figureColumn("approved", "count", figures.terminals),
          figureColumn("declined", "count", figures.terminals),
          figureColumn("approvalRate", "share", figures.terminals),
          { key: "last", header: words.last, cell: ({ lastAt }) => <Time at={lastAt} />, align: "right", priority: 3 },
        ];
        return (
          <>
            <FigureTiles
              view={view}
              words={figures.terminals}
              shows={[
                { of: "volumeMinor", kind: "money", better: "up", href: of({ status: "OK" }) },
                { of: "approved", kind: "count", better: "up", href: of({ status: "OK" }) },
                { of: "approvalRate", kind: "share", better: "up", href: of() },
              ]}
            >
              <Tile
                label={figures.terminals.activeTerminals.label}
                about={figures.terminals.activeTerminals.about}
                value={formatNumber(activeTerminals)}
                change={
                  previous === null || view.before === null
                    ? null
                    : changeOf(activeTerminals, previous.activeTerminals, "count", view.before, "up")
                }
                href="/portal/terminals"
              />
            </FigureTiles>
            <Breakdown
              title={words.table}
              columns={columns}
              rows={lines}
              keyOf={({ terminalId }) => terminalId}
              means={[
                figures.methods.share,
                figures.terminals.volumeMinor,
                figures.terminals.approved,
                figures.terminals.declined,
                figures.terminals.approvalRate,
              ]}
            />
            <Panel title={title}>
              <PointChart
                title={title}
                points={series}
                granularity={granularity}
                kind="count"
                currency={currency}
                series={[
                  { label: words.active, kind: "bars", values: series.map((point) => point.activeTerminals) },
                  ...(previous === null || view.before === null
                    ? []
                    : [
                        {
                          label: `${before} · ${view.before.days}`,
                          kind: "dashes" as const,
                          values: earlierOf(granularity, { from, series }, previous).map((point) => point?.activeTerminals ?? null),
                        },
                      ]),
                ]}
                hrefOf={(days) => of({}, days)}
              />
            </Panel>
          </>
        );
      }}
    </ReportFrame>
  );
}
