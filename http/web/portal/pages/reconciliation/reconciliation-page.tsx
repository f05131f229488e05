import { useLocation } from "preact-iso/router";
import type { ReconciliationItemJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Badge } from "../../components/badge.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar, FilterFoot } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { DayFields } from "../../components/period-field.tsx";
import { SavedViews } from "../../components/saved-views.tsx";
import type { Column } from "../../components/table.tsx";
import { formatDay, formatShortDay } from "../../i18n/days.ts";
import { zoneName } from "../../i18n/format.ts";
import { text } from "../../i18n/texts.ts";
import { useFilters } from "../../state/filters.ts";
import type { PageProps } from "../page-props.ts";
import { DayDrawer } from "./day-drawer.tsx";
import { closesOn, FILTERS, nextToClose, queryOf, reconciliationHref } from "./words.ts";

/** Days as they were closed, newest first. Filters and the opened day stand in the address. */
export function ReconciliationPage({ id }: PageProps) {
  const { reconciliation: words } = text();
  const { route } = useLocation();
  const filters = useFilters(FILTERS);
  return (
    <Page title={words.title} lead={words.lead} actions={<SavedViews list="reconciliation" query={filters.query} />}>
      <WhenItCloses />
      <FilterBar count={filters.count}>
        <div class="filters filters-few">
          <DayFields filters={filters} />
        </div>
        <FilterFoot filters={filters} />
      </FilterBar>
      <ObjectList<ReconciliationItemJson>
        path="/reconciliation"
        query={queryOf(filters.values)}
        filters={filters}
        end={words.end}
        empty={
          <EmptyState icon="reconciliation" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ day }) => day}
        onOpen={({ day }) => route(reconciliationHref(day, filters.query))}
        phone="lines"
      />
      {id !== null && <DayDrawer key={id} day={id} onClose={() => route(reconciliationHref(null, filters.query))} />}
    </Page>
  );
}

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

function columnsOf(): Column<ReconciliationItemJson>[] {
  const { reconciliation: words } = text();
  return [
    { key: "day", header: words.day, cell: ({ day }) => <time dateTime={day}>{formatShortDay(day)}</time> },
    { key: "net", header: words.net, align: "right", cell: ({ totals }) => <Each of={totals} minor="netMinor" strong /> },
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
      deskOnly: true,
    },
    {
      key: "refunded",
      header: words.refunded,
      align: "right",
      cell: ({ totals }) => <Each of={totals} minor="refundedMinor" />,
      deskOnly: true,
    },
  ];
}

/** A figure of each currency, below each other. */
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

function ToCheck({ item: { unknown, conflicting } }: { item: ReconciliationItemJson }) {
  const { reconciliation: words } = text();
  if (unknown === 0 && conflicting === 0) return <span class="muted">{words.nothingToCheck}</span>;
  return (
    <span class="badges">
      {unknown > 0 && <Badge kind="warn">{words.unknownCount(unknown)}</Badge>}
      {conflicting > 0 && <Badge kind="bad">{words.conflictingCount(conflicting)}</Badge>}
    </span>
  );
}
