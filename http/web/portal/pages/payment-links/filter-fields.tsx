import { SelectField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { PeriodDays, PeriodField } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { STATES } from "./words.ts";

export function FilterFields({ filters }: { filters: Filters }) {
  const { paymentLinks: words, transactions, app } = text();
  const { values, set } = filters;
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
          maxLength={255}
        />
        <SelectField
          label={words.state}
          value={values["state"] ?? ""}
          options={[{ value: "", label: app.all }, ...STATES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(state) => set({ state })}
        />
        <PeriodField label={words.created} filters={filters} />
        {may("see personal data") && (
          <TypedField
            label={words.customerEmail}
            value={values["customerEmail"] ?? ""}
            onSettled={(customerEmail) => set({ customerEmail })}
            problem={(email) => (email === "" ? null : emailProblem(email))}
            inputMode="email"
            maxLength={254}
          />
        )}
        <PeriodDays filters={filters} />
      </div>
      <FilterFoot filters={filters} />
    </>
  );
}
