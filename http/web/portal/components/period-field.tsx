import { text } from "../i18n/texts.ts";
import type { Filters } from "../state/filters.ts";
import { daysOf, PERIODS, type Period, periodOf } from "../state/period.ts";
import { DateField } from "./date-field.tsx";
import { SelectField } from "./field.tsx";

/**
 * Chooses the days of a list by name. Custom days start with today, and are chosen in `PeriodDays`.
 */
export function PeriodField({ label, filters: { values, set } }: { label: string; filters: Filters }) {
  const { periods } = text().transactions;
  return (
    <SelectField<Period>
      label={label}
      value={periodOf(values)}
      options={[...PERIODS, "other" as const].map((value) => ({ value, label: periods[value] }))}
      onChange={(chosen) => set(chosen === "other" ? { from: daysOf("today").from, to: null } : daysOf(chosen))}
    />
  );
}

/** Shows the day fields for a custom period. */
export function PeriodDays({ filters }: { filters: Filters }) {
  return periodOf(filters.values) === "other" ? <DayFields filters={filters} /> : null;
}

/** Chooses the first and the last day of a list. */
export function DayFields({ filters: { values, set } }: { filters: Filters }) {
  const { transactions } = text();
  return (
    <>
      <DateField label={transactions.from} value={values["from"] ?? ""} onChange={(from) => set({ from })} />
      <DateField label={transactions.to} value={values["to"] ?? ""} onChange={(to) => set({ to })} />
    </>
  );
}
