import { useEffect } from "preact/hooks";
import type { DisputesReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { Panel } from "../../components/panel.tsx";
import type { Column } from "../../components/table.tsx";
import { text } from "../../i18n/texts.ts";
import { listHref } from "../../list/declaration.ts";
import { disputesHref } from "../disputes/words.ts";
import { Breakdown, FigureTiles, figureColumn, PointChart, seriesOf } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = DisputesReportJson["totals"][number];
type Category = DisputesReportJson["categories"][number];

/**
 * Shows disputes against the card payments of the same days, their outcomes, and what alerts
 * prevent.
 */
export function DisputesReport(props: ReportProps) {
  const { days } = props.shown;
  const { figures, disputes: words, ofSteps } = analyticsText();
  const { disputes: names } = figures;
  useEffect(preloadCharts, []);
  const categories: Readonly<Record<string, string>> = text().disputes.categories;
  return (
    <ReportFrame<Figures, DisputesReportJson>
      {...props}
      // Card payments decide the currency if there are no disputes.
      weigh={({ received, alerts: received2, cardPayments }) => received + received2 + cardPayments / 1e6}
    >
      {(report, view) => {
        const { points, granularity, currency } = view;
        const over = { points, granularity, currency };
        const of = (filters: Readonly<Record<string, string>> = {}, { from, to } = days) =>
          disputesHref({ from, to, currency, includeAlerts: "false", ...filters });
        const alerts = (state?: string) => listHref("alerts", { ...days, currency, ...(state === undefined ? {} : { state }) });
        const columns: Column<Category>[] = [
          {
            key: "category",
            header: text().disputes.category,
            cell: ({ category }) => <a href={of({ category })}>{categories[category] ?? category}</a>,
          },
          figureColumn("received", "count", names),
          figureColumn("receivedMinor", "money", names),
          figureColumn("won", "count", names),
          figureColumn("lost", "count", names),
          figureColumn("expired", "count", names),
          figureColumn("winRate", "share", names),
        ];
        return (
          <>
            <FigureTiles
              view={view}
              words={names}
              shows={[
                { of: "received", kind: "count", better: "down", href: of() },
                { of: "receivedMinor", kind: "money", better: "down", href: of() },
                { of: "rate", kind: "share", better: "down", href: of() },
                { of: "amountRate", kind: "share", better: "down", href: of() },
                { of: "winRate", kind: "share", better: "up", href: of({ status: "WON" }) },
                { of: "lost", kind: "count", better: "down", href: of({ status: "LOST" }) },
                { of: "expired", kind: "count", better: "down", href: of({ status: "EXPIRED" }) },
                {
                  of: "cardPayments",
                  kind: "count",
                  better: null,
                  href: listHref("transactions", { ...days, currency, method: "CARD", status: "OK" }),
                },
              ]}
            />
            <Panel title={`${words.received} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.received} ${ofSteps[granularity]}`}
                kind="count"
                series={seriesOf(view, { of: "received", kind: "count", label: words.received, as: "bars" })}
                hrefOf={(point) => of({}, point)}
              />
            </Panel>
            <Panel title={`${words.rate} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.rate} ${ofSteps[granularity]}`}
                kind="share"
                series={seriesOf(view, { of: "rate", kind: "share", label: words.rate, as: "line" })}
                hrefOf={(point) => of({}, point)}
              />
            </Panel>
            {report.categories.some((one) => one.currency === currency) && (
              <Breakdown
                title={words.categories}
                columns={columns}
                rows={report.categories.filter((one) => one.currency === currency)}
                keyOf={({ category }) => category}
                means={[names.received, names.receivedMinor, names.won, names.lost, names.expired, names.winRate]}
              />
            )}
            <h2 class="report-part">{words.alerts}</h2>
            <p class="muted report-part-hint">{words.alertsHint}</p>
            <FigureTiles
              view={view}
              words={names}
              shows={[
                { of: "alerts", kind: "count", better: "down", href: alerts() },
                { of: "alertsMinor", kind: "money", better: "down", href: alerts() },
                { of: "preventionRate", kind: "share", better: "up", href: alerts() },
                { of: "alertsEscalated", kind: "count", better: "down", href: of() },
                { of: "alertsRefunded", kind: "count", better: null, href: alerts("REFUNDED") },
                { of: "alertsPrevented", kind: "count", better: "up", href: alerts("PREVENTED") },
                { of: "alertsDeclined", kind: "count", better: "down", href: alerts("DECLINED") },
                { of: "alertsInvalid", kind: "count", better: null, href: alerts("DECLINED") },
              ]}
            />
          </>
        );
      }}
    </ReportFrame>
  );
}
