import { useEffect } from "preact/hooks";
import type { LinksReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { Panel } from "../../components/panel.tsx";
import type { Column } from "../../components/table.tsx";
import { listHref } from "../../list/declaration.ts";
import { Breakdown, FigureTiles, figureColumn, PointChart, seriesOf } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = LinksReportJson["totals"][number];
type Creator = LinksReportJson["creators"][number];

/** Shows the outcomes of payment links and how soon they are paid. */
export function LinksReport(props: ReportProps) {
  const { days } = props.shown;
  const { figures, links: words, ofSteps } = analyticsText();
  useEffect(preloadCharts, []);
  const names: Readonly<Record<string, string>> = words.creatorNames;
  return (
    <ReportFrame<Figures, LinksReportJson> {...props} weigh={({ created }) => created}>
      {({ creators }, view) => {
        const { points, granularity, currency } = view;
        const over = { points, granularity, currency };
        const of = (state?: string, { from, to } = days) =>
          listHref("payment-links", { from, to, currency, ...(state === undefined ? {} : { state }) });
        const columns: Column<Creator>[] = [
          { key: "creator", header: words.creator, cell: ({ creator }) => names[creator] ?? creator },
          figureColumn("created", "count", figures.links),
          figureColumn("paid", "count", figures.links),
          figureColumn("paidMinor", "money", figures.links),
          figureColumn("expired", "count", figures.links, { priority: 3 }),
          figureColumn("cancelled", "count", figures.links, { priority: 3 }),
          figureColumn("conversionRate", "share", figures.links),
        ];
        return (
          <>
            <FigureTiles
              view={view}
              words={figures.links}
              shows={[
                { of: "created", kind: "count", better: "up", href: of() },
                { of: "paid", kind: "count", better: "up", href: of("PAID") },
                { of: "conversionRate", kind: "share", better: "up", href: of() },
                { of: "medianMinutesToPay", kind: "minutes", better: "down", href: of("PAID") },
                { of: "paidMinor", kind: "money", better: "up", href: of("PAID") },
                { of: "pending", kind: "count", better: null, href: of("PENDING") },
                { of: "expired", kind: "count", better: "down", href: of("EXPIRED") },
                { of: "cancelled", kind: "count", better: "down", href: of("CANCELLED") },
              ]}
            />
            <Panel title={`${words.outcomes} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.outcomes} ${ofSteps[granularity]}`}
                kind="count"
                stacked
                series={(["paid", "expired", "cancelled", "pending"] as const).map((name) => ({
                  label: figures.links[name].label,
                  kind: "bars",
                  values: points.map((point) => point.of?.[name] ?? 0),
                }))}
                hrefOf={(point) => of(undefined, point)}
              />
            </Panel>
            <Panel title={`${words.conversion} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.conversion} ${ofSteps[granularity]}`}
                kind="share"
                series={seriesOf(view, { of: "conversionRate", kind: "share", label: words.conversion, as: "line" })}
                hrefOf={(point) => of(undefined, point)}
              />
            </Panel>
            <Breakdown
              title={words.creators}
              columns={columns}
              rows={creators.filter((one) => one.currency === currency)}
              keyOf={({ creator }) => creator}
              means={[
                figures.links.created,
                figures.links.paid,
                figures.links.paidMinor,
                figures.links.expired,
                figures.links.cancelled,
                figures.links.conversionRate,
              ]}
            />
          </>
        );
      }}
    </ReportFrame>
  );
}
