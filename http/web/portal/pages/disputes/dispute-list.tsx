import { useLocation } from "preact-iso/router";
import type { DisputeItemJson } from "../../../../surfaces/merchant/disputes/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { DueTime } from "../../components/due-time.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { DisputeState } from "./dispute-state.tsx";
import { FilterFields } from "./filter-fields.tsx";
import { queryOf } from "./filters.ts";
import { itemHref } from "./words.ts";

/** Disputes, and the alerts among them, newest first; by due time where that is asked for. */
export function DisputeList({ filters, round }: { filters: Filters; round: number }) {
  const { disputes: words } = text();
  const { route } = useLocation();
  // Without the view, which is none.
  const own: Filters = { ...filters, count: filters.count - 1, clear: () => route("/portal/disputes?view=list", true) };
  return (
    <>
      <FilterBar count={own.count}>
        <FilterFields filters={own} />
      </FilterBar>
      <ObjectList<DisputeItemJson>
        path="/disputes"
        query={queryOf(filters.values)}
        filters={own}
        round={round}
        end={words.end}
        empty={
          <EmptyState icon="dispute" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ id }) => id}
        onOpen={(item) => route(itemHref(item, filters.query))}
        phone="lines"
      />
    </>
  );
}

function columnsOf(): Column<DisputeItemJson>[] {
  const { disputes: words } = text();
  return [
    {
      key: "category",
      header: words.category,
      cell: ({ category, stage }) => (
        <span class="two-lines">
          <span>{words.categories[category]}</span>
          {stage !== null && <span class="second-line">{words.stages[stage]}</span>}
        </span>
      ),
    },
    {
      key: "amount",
      header: words.amount,
      align: "right",
      cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} strong />,
    },
    { key: "state", header: words.state, cell: ({ status }) => <DisputeState status={status} /> },
    { key: "due", header: words.due, cell: (item) => (isToAnswer(item) ? <DueTime until={item.respondBy} /> : "–") },
    { key: "received", header: words.received, cell: ({ createdAt }) => <Time at={createdAt} as="date" />, deskOnly: true },
    {
      key: "case",
      header: words.caseId,
      cell: ({ network, networkCaseId }) => (
        <span class="two-lines">
          <span>{network}</span>
          <span class="muted mono clip clip-narrow">{networkCaseId}</span>
        </span>
      ),
      deskOnly: true,
    },
  ];
}

/** Of one that nobody answers any more its due time is of no interest. */
function isToAnswer({ status }: DisputeItemJson): boolean {
  return status === "ALERT" || status === "OPEN" || status === "EVIDENCE_REQUIRED";
}
