import { useState } from "preact/hooks";
import { useLocation } from "preact-iso/router";
import type { AlertJson } from "../../../../surfaces/merchant/alerts/schemas.ts";
import { Amount } from "../../components/amount.tsx";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { LiveList } from "../../components/live-list.tsx";
import { Panel } from "../../components/panel.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { DueTime } from "../disputes/due-time.tsx";
import { daysOf, type Period, periodOf } from "../transactions/filters.ts";
import { AlertState } from "./alert-state.tsx";
import { alertHref, queryOf, SOURCES, STATES } from "./words.ts";

export function AlertList({ filters, round }: { filters: Filters; round: number }) {
  const { alerts: words, transactions } = text();
  const { route } = useLocation();
  const [filtering, setFiltering] = useState(false);
  const query = queryOf(filters.values);
  const { count, clear } = filters;
  return (
    <>
      <div class="filters-desk">
        <Panel>
          <FilterFields filters={filters} />
        </Panel>
      </div>
      <div class="filters-phone">
        <Button icon="filter" onClick={() => setFiltering(true)} wide>
          {transactions.filters(count)}
        </Button>
      </div>
      <LiveList<AlertJson>
        key={JSON.stringify(query)}
        path="/alerts"
        query={query}
        round={round}
        end={words.end}
        empty={
          count > 0 ? (
            <EmptyState icon="search" title={transactions.noMatchTitle} action={<Button onClick={clear}>{transactions.clear}</Button>}>
              {transactions.noMatchText}
            </EmptyState>
          ) : (
            <EmptyState icon="alert" title={words.emptyTitle}>
              {words.emptyText}
            </EmptyState>
          )
        }
      >
        {(items) => (
          <Table
            caption={words.title}
            columns={columnsOf()}
            rows={items}
            keyOf={({ id }) => id}
            onOpen={({ id }) => route(alertHref(id, filters.query))}
            phone="lines"
          />
        )}
      </LiveList>
      {filtering && (
        <Drawer title={transactions.filters(count)} onClose={() => setFiltering(false)}>
          <FilterFields filters={filters} />
          <Button kind="primary" wide onClick={() => setFiltering(false)}>
            {transactions.showResults}
          </Button>
        </Drawer>
      )}
    </>
  );
}

const PERIODS = ["today", "yesterday", "week", "month", "all"] as const;

function FilterFields({ filters: { values, set, clear, count } }: { filters: Filters }) {
  const { alerts: words, transactions, app } = text();
  const all = { value: "", label: app.all };
  const period = periodOf({ from: values["from"] ?? null, to: values["to"] ?? null });
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
        <SelectField<Period>
          label={words.received}
          value={period}
          options={[
            ...PERIODS.map((value) => ({ value, label: transactions.periods[value] })),
            { value: "other" as const, label: transactions.periods.other },
          ]}
          // Other days begin with today, and stand below.
          onChange={(chosen) => set(chosen === "other" ? { from: daysOf("today").from, to: null } : daysOf(chosen))}
        />
        {period === "other" && (
          <>
            <TextField label={transactions.from} type="date" value={values["from"] ?? ""} onInput={(from) => set({ from })} />
            <TextField label={transactions.to} type="date" value={values["to"] ?? ""} onInput={(to) => set({ to })} />
          </>
        )}
      </div>
      {count > 0 && (
        <div class="filters-foot">
          <Button small kind="quiet" icon="close" onClick={clear}>
            {transactions.clear}
          </Button>
        </div>
      )}
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
