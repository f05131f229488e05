import { CheckField, SelectField } from "../../components/field.tsx";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { PeriodDays, PeriodField } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { CATEGORIES, DUE_DAYS_MAX, STAGES, STATUSES } from "./words.ts";

const DUE_DAYS = ["1", "3", "7", "30", DUE_DAYS_MAX] as const;

export function FilterFields({ filters }: { filters: Filters }) {
  const { disputes: words, transactions, app } = text();
  const { values, set } = filters;
  const all = { value: "", label: app.all };
  const due = values["dueWithinDays"] ?? "";
  return (
    <>
      <div class="filters">
        <TypedField
          label={transactions.search}
          hint={words.searchHint}
          value={values["q"] ?? ""}
          onSettled={(q) => set({ q })}
          problem={() => null}
          type="search"
          maxLength={64}
        />
        <SelectField
          label={words.state}
          value={values["status"] ?? ""}
          options={[all, ...STATUSES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(status) => set({ status })}
        />
        <SelectField
          label={words.category}
          value={values["category"] ?? ""}
          options={[all, ...CATEGORIES.map((value) => ({ value: value as string, label: words.categories[value] }))]}
          onChange={(category) => set({ category })}
        />
        <SelectField
          label={words.stage}
          value={values["stage"] ?? ""}
          options={[all, ...STAGES.map((value) => ({ value: value as string, label: words.stages[value] }))]}
          onChange={(stage) => set({ stage })}
        />
        <SelectField
          label={words.dueWithin}
          value={due}
          options={[
            all,
            ...DUE_DAYS.map((value) => ({ value: value as string, label: words.dueChoices[value] })),
            // Of an address that was typed.
            ...(due === "" || DUE_DAYS.some((value) => value === due) ? [] : [{ value: due, label: words.dueDays(due) }]),
          ]}
          onChange={(dueWithinDays) => set({ dueWithinDays })}
        />
        <PeriodField label={words.received} filters={filters} />
        <TypedField
          label={words.terminal}
          value={values["terminalId"] ?? ""}
          onSettled={(terminalId) => set({ terminalId })}
          problem={() => null}
          maxLength={64}
        />
        <PeriodDays filters={filters} />
      </div>
      <FilterFoot filters={filters}>
        <CheckField
          label={words.includeAlerts}
          checked={values["includeAlerts"] !== "false"}
          onChange={(included) => set({ includeAlerts: included ? null : "false" })}
        />
      </FilterFoot>
    </>
  );
}
