import { Button } from "../../components/button.tsx";
import { CheckField, SelectField, TextField } from "../../components/field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { daysOf, type Period, periodOf } from "../transactions/filters.ts";
import { CATEGORIES, DUE_DAYS_MAX, STAGES, STATUSES } from "./words.ts";

const PERIODS = ["today", "yesterday", "week", "month", "all"] as const;
const DUE_DAYS = ["1", "3", "7", "30", DUE_DAYS_MAX] as const;

export function FilterFields({ filters: { values, set, clear, count } }: { filters: Filters }) {
  const { disputes: words, transactions, app } = text();
  const all = { value: "", label: app.all };
  const period = periodOf({ from: values["from"] ?? null, to: values["to"] ?? null });
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
        <TypedField
          label={words.terminal}
          value={values["terminalId"] ?? ""}
          onSettled={(terminalId) => set({ terminalId })}
          problem={() => null}
          maxLength={64}
        />
        {period === "other" && (
          <>
            <TextField label={transactions.from} type="date" value={values["from"] ?? ""} onInput={(from) => set({ from })} />
            <TextField label={transactions.to} type="date" value={values["to"] ?? ""} onInput={(to) => set({ to })} />
          </>
        )}
      </div>
      <div class="filters-foot">
        <CheckField
          label={words.includeAlerts}
          checked={values["includeAlerts"] !== "false"}
          onChange={(included) => set({ includeAlerts: included ? null : "false" })}
        />
        {count > 1 && (
          <Button small kind="quiet" icon="close" onClick={clear}>
            {transactions.clear}
          </Button>
        )}
      </div>
    </>
  );
}
