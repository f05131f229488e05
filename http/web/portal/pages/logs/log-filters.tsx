import { useState } from "preact/hooks";
import { Button } from "../../components/button.tsx";
import { Drawer } from "../../components/dialog.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { Panel } from "../../components/panel.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { ID_LENGTH_MAX, type LogTab, outcomesOf, outcomeText } from "./words.ts";

const nothingWrong = () => null;

/** By what the entries are narrowed: beside each other on a desk, behind a button on a phone. */
export function LogFilters({ filters, tab }: { filters: Filters; tab: LogTab }) {
  const { transactions } = text();
  const [open, setOpen] = useState(false);
  const fields = <Fields filters={filters} tab={tab} />;
  return (
    <>
      <div class="filters-desk">
        <Panel>{fields}</Panel>
      </div>
      <div class="filters-phone">
        <Button icon="filter" onClick={() => setOpen(true)} wide>
          {transactions.filters(filters.count)}
        </Button>
      </div>
      {open && (
        <Drawer title={transactions.filters(filters.count)} onClose={() => setOpen(false)}>
          {fields}
          <Button kind="primary" wide onClick={() => setOpen(false)}>
            {transactions.showResults}
          </Button>
        </Drawer>
      )}
    </>
  );
}

function Fields({ filters: { values, set, clear, count }, tab }: { filters: Filters; tab: LogTab }) {
  const { logs: words, app, transactions } = text();
  return (
    <>
      <div class="filters">
        <TypedField
          label={words.object}
          value={values["objectId"] ?? ""}
          onSettled={(objectId) => set({ objectId })}
          problem={nothingWrong}
          maxLength={ID_LENGTH_MAX}
          type="search"
        />
        <TypedField
          label={words.request}
          value={values["requestId"] ?? ""}
          onSettled={(requestId) => set({ requestId })}
          problem={nothingWrong}
          maxLength={ID_LENGTH_MAX}
        />
        <SelectField
          label={words.outcome}
          value={values["outcome"] ?? ""}
          options={[{ value: "", label: app.all }, ...outcomesOf(tab).map((value) => ({ value, label: outcomeText(value) }))]}
          onChange={(outcome) => set({ outcome })}
        />
        <TextField label={transactions.from} type="date" value={values["from"] ?? ""} onInput={(from) => set({ from })} />
        <TextField label={transactions.to} type="date" value={values["to"] ?? ""} onInput={(to) => set({ to })} />
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

/** Nothing is there, or nothing that matches. */
export function NoEntries({ filters }: { filters: Filters }) {
  const { logs: words, transactions } = text();
  if (filters.count === 0) {
    return (
      <EmptyState icon="logs" title={words.emptyTitle}>
        {words.emptyText}
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="search" title={transactions.noMatchTitle} action={<Button onClick={filters.clear}>{transactions.clear}</Button>}>
      {words.noMatchText}
    </EmptyState>
  );
}

/** An id that narrows the list to itself. */
export function IdFilter({ id, onChoose }: { id: string | null; onChoose: (id: string) => void }) {
  if (id === null) return <>–</>;
  return (
    <button type="button" class="text-button mono clip" title={text().logs.only(id)} onClick={() => onChoose(id)}>
      {id}
    </button>
  );
}
