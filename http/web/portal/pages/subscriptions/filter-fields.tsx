import type { PlanJson } from "../../../../surfaces/merchant/subscriptions/schemas.ts";
import { Button } from "../../components/button.tsx";
import { SelectField, TextField } from "../../components/field.tsx";
import { emailProblem } from "../../components/field-problems.ts";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { may } from "../../state/session.ts";
import { daysOf, type Period, periodOf } from "../transactions/filters.ts";
import { planChoice, STATES } from "./words.ts";

const PERIODS = ["today", "yesterday", "week", "month", "all"] as const;

export function FilterFields({
  filters: { values, set, clear, count },
  plans,
}: {
  filters: Filters;
  /** Deactivated ones too: their subscriptions go on. */
  plans: readonly PlanJson[];
}) {
  const { subscriptions: words, transactions, app } = text();
  const period = periodOf({ from: values["from"] ?? null, to: values["to"] ?? null });
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
        <SelectField<Period>
          label={words.since}
          value={period}
          options={[
            ...PERIODS.map((value) => ({ value, label: transactions.periods[value] })),
            { value: "other" as const, label: transactions.periods.other },
          ]}
          // Other days begin with today, and stand below.
          onChange={(chosen) => set(chosen === "other" ? { from: daysOf("today").from, to: null } : daysOf(chosen))}
        />
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
