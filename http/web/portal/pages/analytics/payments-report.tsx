import { useEffect } from "preact/hooks";
import type { PaymentsReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { Panel } from "../../components/panel.tsx";
import { listHref } from "../../list/declaration.ts";
import { BusyHours } from "./busy-hours.tsx";
import { transactionFilters } from "./filters.ts";
import { FigureTiles, PointChart, seriesOf } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = PaymentsReportJson["totals"][number];

/** Shows the payments, the share that was approved, and the busy hours. */
export function PaymentsReport(props: ReportProps) {
  const { shown } = props;
  const { figures, payments: words, ofSteps } = analyticsText();
  useEffect(preloadCharts, []);
  return (
    <ReportFrame<Figures, PaymentsReportJson> {...props} weigh={({ approved, declined }) => approved + declined}>
      {(_, view) => {
        const { points, granularity, currency } = view;
        const of = (status?: "OK" | "KO", days = shown.days) =>
          listHref("transactions", { ...transactionFilters(shown, days, currency), ...(status === undefined ? {} : { status }) });
        const over = { points, granularity, currency };
        return (
          <>
            <FigureTiles
              view={view}
              words={figures.payments}
              shows={[
                { of: "volumeMinor", kind: "money", better: "up", href: of("OK") },
                { of: "netMinor", kind: "money", better: "up" },
                { of: "approved", kind: "count", better: "up", href: of("OK") },
                { of: "averageTicketMinor", kind: "money", better: "up", href: of("OK") },
                { of: "approvalRate", kind: "share", better: "up", href: of() },
                { of: "declined", kind: "count", better: "down", href: of("KO") },
                { of: "refunds", kind: "count", better: "down" },
                { of: "refundedMinor", kind: "money", better: "down" },
              ]}
            />
            <Panel title={`${words.volume} ${ofSteps[granularity]}`} hint={words.volumeHint}>
              <PointChart
                {...over}
                title={`${words.volume} ${ofSteps[granularity]}`}
                kind="money"
                series={seriesOf(view, { of: "volumeMinor", kind: "money", label: words.volume, as: "bars" })}
                hrefOf={(days) => of("OK", days)}
              />
            </Panel>
            <Panel title={`${words.rate} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.rate} ${ofSteps[granularity]}`}
                kind="share"
                series={seriesOf(view, { of: "approvalRate", kind: "share", label: words.rate, as: "line" })}
                hrefOf={(days) => of(undefined, days)}
              />
            </Panel>
            <BusyHours shown={shown} currency={currency} />
          </>
        );
      }}
    </ReportFrame>
  );
}
