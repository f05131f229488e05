import { useEffect } from "preact/hooks";
import type { AgentsReportJson } from "../../../../surfaces/merchant/analytics/schemas.ts";
import { preloadCharts } from "../../components/chart.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { formatNumber } from "../../i18n/format.ts";
import { listHref } from "../../list/declaration.ts";
import { Breakdown, Definitions, FigureTiles, figureColumn, PointChart } from "./parts.tsx";
import { ReportFrame, type ReportProps } from "./report-frame.tsx";
import { analyticsText } from "./texts.ts";

type Figures = AgentsReportJson["totals"][number];
type Credential = AgentsReportJson["credentials"][number];
type Refusal = AgentsReportJson["refusals"][number];

/**
 * Shows what AI agents ask customers to pay, what is paid, and which limits reject their requests.
 */
export function AgentsReport(props: ReportProps) {
  const { days } = props.shown;
  const { figures, agents: words, ofSteps } = analyticsText();
  useEffect(preloadCharts, []);
  return (
    <ReportFrame<Figures, AgentsReportJson>
      {...props}
      weigh={({ created }) => created}
      also={({ refusals }) => <Refusals refusals={refusals} />}
    >
      {({ credentials, refusals }, view) => {
        const { points, granularity, currency } = view;
        const of = (state?: string, { from, to } = days) =>
          listHref("payment-links", { from, to, currency, ...(state === undefined ? {} : { state }) });
        const columns: Column<Credential>[] = [
          {
            key: "credential",
            header: words.credential,
            cell: ({ credentialId }) => (
              <CredentialName
                id={credentialId}
                name={refusals.find((one) => one.credentialId === credentialId)?.name}
                href={listHref("payment-links", { ...days, currency, agentId: credentialId })}
              />
            ),
          },
          figureColumn("created", "count", figures.links),
          figureColumn("createdMinor", "money", figures.agents),
          figureColumn("paid", "count", figures.agents),
          figureColumn("paidMinor", "money", figures.agents),
          figureColumn("conversionRate", "share", figures.agents),
        ];
        const title = `${words.outcomes} ${ofSteps[granularity]}`;
        return (
          <>
            <FigureTiles
              view={view}
              words={figures.agents}
              shows={[
                { of: "created", kind: "count", better: "up", href: of() },
                { of: "createdMinor", kind: "money", better: "up", href: of() },
                { of: "paidMinor", kind: "money", better: "up", href: of("PAID") },
                { of: "conversionRate", kind: "share", better: "up", href: of() },
              ]}
            />
            <Panel title={title}>
              <PointChart
                title={title}
                points={points}
                granularity={granularity}
                currency={currency}
                kind="count"
                stacked
                series={[
                  { label: figures.agents.paid.label, kind: "bars", values: points.map((point) => point.of?.paid ?? 0) },
                  {
                    label: words.open,
                    kind: "bars",
                    values: points.map((point) => (point.of === null ? 0 : point.of.created - point.of.paid)),
                  },
                ]}
                hrefOf={(point) => of(undefined, point)}
              />
            </Panel>
            <Breakdown
              title={words.credentials}
              columns={columns}
              rows={credentials.filter((one) => one.currency === currency)}
              keyOf={({ credentialId }) => credentialId}
              means={[
                figures.agents.created,
                figures.agents.createdMinor,
                figures.agents.paid,
                figures.agents.paidMinor,
                figures.agents.conversionRate,
              ]}
            />
          </>
        );
      }}
    </ReportFrame>
  );
}

function CredentialName({ id, name, href }: { id: string; name: string | undefined; href: string }) {
  return (
    <span class="two-lines">
      <a href={href}>{name ?? id}</a>
      {name !== undefined && <span class="second-line mono">{id}</span>}
    </span>
  );
}

/**
 * Rejections belong to no currency and no period. They are listed until their credential is
 * deleted.
 */
function Refusals({ refusals }: { refusals: readonly Refusal[] }) {
  const { agents: words, figures } = analyticsText();
  const limits: Readonly<Record<string, string>> = words.limits;
  const columns: Column<Refusal>[] = [
    {
      key: "credential",
      header: words.credential,
      cell: ({ credentialId, name }) => (
        <CredentialName id={credentialId} name={name} href={`/portal/agents/${encodeURIComponent(credentialId)}`} />
      ),
    },
    { key: "limit", header: words.limit, cell: ({ limit }) => limits[limit] ?? limit },
    { key: "refused", header: figures.agents.refused.label, align: "right", cell: ({ refused }) => formatNumber(refused) },
  ];
  return (
    <Panel flush title={words.refusals} hint={words.refusalsHint}>
      {refusals.length === 0 ? (
        <EmptyState icon="shield" title={words.noRefusalsTitle}>
          {words.noRefusalsText}
        </EmptyState>
      ) : (
        <>
          <Table
            caption={words.refusals}
            columns={columns}
            rows={refusals}
            keyOf={({ credentialId, limit }) => `${credentialId} ${limit}`}
          />
          <Definitions of={[figures.agents.refused]} />
        </>
      )}
    </Panel>
  );
}
