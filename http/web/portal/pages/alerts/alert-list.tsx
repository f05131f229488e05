import { useLocation } from "preact-iso/router";
import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField } from "../../components/field.tsx";
import { FilterBar, FilterFoot } from "../../components/filter-bar.tsx";
import { ObjectList } from "../../components/object-list.tsx";
import { PeriodDays, PeriodField } from "../../components/period-field.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { DueTime } from "../disputes/due-time.tsx";
import { AlertState } from "./alert-state.tsx";
import { alertHref, queryOf, SOURCES, STATES } from "./words.ts";

export function AlertList({ filters, round }: { filters: Filters; round: number }) {
  const { alerts: words } = text();
  const { route } = useLocation();
  return (
    <>
      <FilterBar count={filters.count}>
        <FilterFields filters={filters} />
      </FilterBar>
      <ObjectList<AlertJson>
        path="/alerts"
        query={queryOf(filters.values)}
        filters={filters}
        round={round}
        end={words.end}
        empty={
          <EmptyState icon="alert" title={words.emptyTitle}>
            {words.emptyText}
          </EmptyState>
        }
        caption={words.title}
        columns={columnsOf()}
        keyOf={({ id }) => id}
        onOpen={({ id }) => route(alertHref(id, filters.query))}
        phone="lines"
      />
    </>
  );
}

function FilterFields({ filters }: { filters: Filters }) {
  const { alerts: words, app } = text();
  const { values, set } = filters;
  const all = { value: "", label: app.all };
  return (
    <>
      <div class="filters">
        <SelectField
          label={words.state}
          value={values["state"] ?? ""}
          options={[all, ...STATES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(state) => set({ state })}
        />
        <SelectField
          label={words.source}
          value={values["source"] ?? ""}
          options={[all, ...SOURCES.map((value) => ({ value: value as string, label: words.sources[value] }))]}
          onChange={(source) => set({ source })}
        />
        <PeriodField label={words.received} filters={filters} />
        <PeriodDays filters={filters} />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}

function columnsOf(): Column<AlertJson>[] {
  const { alerts: words, disputes } = text();
  return [
    { key: "category", header: words.category, cell: ({ category }) => disputes.categories[category] },
    {
      key: "amount",
      header: words.amount,
      align: "right",
      cell: ({ amountMinor, currency }) => <Amount minor={amountMinor} currency={currency} strong />,
    },
    { key: "state", header: words.state, cell: ({ state }) => <AlertState state={state} /> },
    {
      key: "due",
      header: words.due,
      // Until when something could have been decided is of no interest any more.
      cell: ({ state, respondBy }) => (state === "PENDING" ? <DueTime until={respondBy} /> : "–"),
    },
    { key: "source", header: words.source, cell: ({ source }) => words.sources[source], deskOnly: true },
    {
      key: "reference",
      header: words.reference,
      cell: ({ networkRef }) => <span class="mono clip clip-short">{networkRef}</span>,
      deskOnly: true,
    },
    { key: "received", header: words.received, cell: ({ createdAt }) => <Time at={createdAt} />, deskOnly: true },
  ];
}
