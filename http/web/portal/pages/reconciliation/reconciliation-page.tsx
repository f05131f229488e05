import type { ReconciliationItemJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { Panel } from "../../components/panel.tsx";
import { formatDay, formatShortDay } from "../../i18n/days.ts";
import { zoneName } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { listPage } from "../../list/list-page.tsx";
import { DayDrawer } from "./day-drawer.tsx";
import { closesOn, nextToClose, RECONCILIATION_LIST } from "./words.ts";

/** Lists the closed days, newest first. */
export const ReconciliationPage = listPage<ReconciliationItemJson, typeof RECONCILIATION_LIST>({
  list: RECONCILIATION_LIST,
  texts: ({ reconciliation }) => reconciliation,
  icon: "reconciliation",
  fields: ({ reconciliation }) => ({ from: "days", activeOnly: { label: reconciliation.activeOnly } }),
  columns: ({ reconciliation: words }) => [
    { key: "day", header: words.day, cell: ({ day }) => <time dateTime={day}>{formatShortDay(day)}</time> },
    {
      ...{ key: "net", header: words.net, align: "right", priority: 1 },
      cell: ({ totals, closedAt }) =>
        closedAt === null ? <span class="muted">{words.emptyDay}</span> : <Each of={totals} minor="netMinor" strong />,
    },
    { key: "check", header: words.toCheck, cell: (item) => <ToCheck item={item} /> },
    {
      key: "corrections",
      header: words.corrections,
      align: "right",
      cell: ({ corrections }) => (corrections === 0 ? "–" : words.correctionCount(corrections)),
    },
    {
      key: "approved",
      header: words.approved,
      align: "right",
      cell: ({ totals }) => <Each of={totals} minor="approvedMinor" />,
      priority: 3,
    },
    {
      key: "refunded",
      header: words.refunded,
      align: "right",
      cell: ({ totals }) => <Each of={totals} minor="refundedMinor" />,
      priority: 3,
    },
  ],
  idOf: ({ day }) => day,
  drawer: DayDrawer,
  tiles: WhenItCloses,
  savedViews: true,
});

function WhenItCloses() {
  const { reconciliation: words } = text();
  const next = nextToClose();
  return (
    <Panel title={words.closingTitle}>
      <p>{words.closingText(zoneName())}</p>
      <p class="muted">{words.nextClosing(formatDay(next), formatDay(closesOn(next)))}</p>
    </Panel>
  );
}

type Total = ReconciliationItemJson["totals"][number];

/** Shows a figure for each currency, one below the other. */
function Each({
  of,
  minor,
  strong = false,
}: {
  of: readonly Total[];
  minor: "netMinor" | "approvedMinor" | "refundedMinor";
  strong?: boolean;
}) {
  if (of.length === 0) return <>–</>;
  return (
    <span class="amounts">
      {of.map((total) => (
        <Amount key={total.currency} minor={total[minor]} currency={total.currency} strong={strong} />
      ))}
    </span>
  );
}

function ToCheck({ item: { unknown, conflicting, closedAt } }: { item: ReconciliationItemJson }) {
  const { reconciliation: words } = text();
  if (closedAt === null) return <>–</>;
  if (unknown === 0 && conflicting === 0) return <span class="muted">{words.nothingToCheck}</span>;
  return (
    <span class="badges">
      {unknown > 0 && <Badge kind="warn">{words.unknownCount(unknown)}</Badge>}
      {conflicting > 0 && <Badge kind="bad">{words.conflictingCount(conflicting)}</Badge>}
    </span>
  );
}
