import type { ComponentChildren } from "preact";
import { EmptyState } from "../../components/empty-state.tsx";
import { SelectField } from "../../components/field.tsx";
import { FilterBar, FilterFoot } from "../../components/filter-bar.tsx";
import { DayFields } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { ID_LENGTH_MAX, type LogTab, outcomesOf, outcomeText } from "./words.ts";

const nothingWrong = () => null;

/** By what the entries are narrowed. */
export function LogFilters({ filters, tab }: { filters: Filters; tab: LogTab }) {
  return (
    <FilterBar count={filters.count}>
      <Fields filters={filters} tab={tab} />
    </FilterBar>
  );
}

function Fields({ filters, tab }: { filters: Filters; tab: LogTab }) {
  const { logs: words, app } = text();
  const { values, set } = filters;
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
        <DayFields filters={filters} />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}

/** There are no entries at all. */
export function NoEntries() {
  const { logs: words } = text();
  return (
    <EmptyState icon="logs" title={words.emptyTitle}>
      {words.emptyText}
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

/** Two facts of one cell, below each other. */
export function TwoLines({ children }: { children: ComponentChildren }) {
  return <div class="two-lines">{children}</div>;
}
