import type { PlanJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { SelectField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { PeriodDays, PeriodField } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { planChoice, STATES } from "./words.ts";

export function FilterFields({
  filters,
  plans,
}: {
  filters: Filters;
  /** Deactivated ones too: their subscriptions go on. */
  plans: readonly PlanJson[];
}) {
  const { subscriptions: words, app } = text();
  const { values, set } = filters;
  return (
    <>
      <div class="filters">
        <SelectField
          label={words.state}
          value={values["state"] ?? ""}
          options={[{ value: "", label: app.all }, ...STATES.map((value) => ({ value: value as string, label: words.states[value] }))]}
          onChange={(state) => set({ state })}
        />
        <SelectField
          label={words.plan}
          value={values["planId"] ?? ""}
          options={[{ value: "", label: app.all }, ...plans.map(planChoice)]}
          onChange={(planId) => set({ planId })}
        />
        <PeriodField label={words.since} filters={filters} />
        {may("see personal data") && (
          <TypedField
            label={words.customerEmail}
            hint={words.searchEmailHint}
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
