import { useEffect } from "preact/hooks";
import type { SubscriptionsReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { Panel } from "../../components/panel.tsx";
import { subscriptionsHref } from "../subscriptions/words.ts";
import { FigureTiles, PointChart, seriesOf } from "./parts.tsx";
import { figureText } from "./report.ts";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = SubscriptionsReportJson["totals"][number];

const listOf = (state: string) => subscriptionsHref("subscriptions", { query: new URLSearchParams({ state }).toString() });

/**
 * Shows monthly revenue, new and ended subscriptions, and how many failed payments are recovered.
 */
export function SubscriptionsReport(props: ReportProps) {
  const { figures, subscriptions: words, ofSteps } = analyticsText();
  useEffect(preloadCharts, []);
  return (
    <ReportFrame<Figures, SubscriptionsReportJson>
      {...props}
      weigh={({ mrrMinor, started, activeBefore }) => mrrMinor + started + activeBefore}
    >
      {(_, view) => {
        const { points, granularity, currency, total } = view;
        const over = { points, granularity, currency };
        const noteOf = (name: "mrrBeforeMinor" | "startedMrrMinor" | "churnedVoluntaryMrrMinor" | "churnedDunningMrrMinor") =>
          total === null ? undefined : `${figures.subscriptions[name].label}: ${figureText(total[name], "money", currency)}`;
        return (
          <>
            <FigureTiles
              view={view}
              words={figures.subscriptions}
              shows={[
                { of: "mrrMinor", kind: "money", better: "up", href: listOf("ACTIVE"), note: noteOf("mrrBeforeMinor") },
                { of: "active", kind: "count", better: "up", href: listOf("ACTIVE") },
                { of: "started", kind: "count", better: "up", href: listOf("ACTIVE"), note: noteOf("startedMrrMinor") },
                { of: "failedCycles", kind: "count", better: "down", href: listOf("PAST_DUE") },
                {
                  of: "voluntaryChurnRate",
                  kind: "share",
                  better: "down",
                  href: listOf("CANCELLED"),
                  note: noteOf("churnedVoluntaryMrrMinor"),
                },
                {
                  of: "dunningChurnRate",
                  kind: "share",
                  better: "down",
                  href: listOf("CANCELLED"),
                  note: noteOf("churnedDunningMrrMinor"),
                },
                { of: "recoveryRate", kind: "share", better: "up", href: listOf("ACTIVE") },
                { of: "medianDaysToRecover", kind: "days", better: "down", href: listOf("ACTIVE") },
              ]}
            />
            <Panel title={`${words.mrr} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.mrr} ${ofSteps[granularity]}`}
                kind="money"
                series={seriesOf(view, { of: "mrrMinor", kind: "money", label: words.mrr, as: "line" })}
                hrefOf={() => listOf("ACTIVE")}
              />
            </Panel>
            <Panel title={`${words.movement} ${ofSteps[granularity]}`}>
              <PointChart
                {...over}
                title={`${words.movement} ${ofSteps[granularity]}`}
                kind="count"
                stacked
                // Ended subscriptions are drawn below the axis and new ones above it.
                series={[
                  { label: figures.subscriptions.started.label, kind: "bars", values: points.map((point) => point.of?.started ?? 0) },
                  ...(["churnedVoluntary", "churnedDunning"] as const).map((name) => ({
                    label: figures.subscriptions[name].label,
                    kind: "bars" as const,
                    values: points.map((point) => -(point.of?.[name] ?? 0)),
                  })),
                ]}
                hrefOf={() => listOf("CANCELLED")}
              />
            </Panel>
          </>
        );
      }}
    </ReportFrame>
  );
}
