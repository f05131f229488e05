import type { TerminalsJson } from "../../../../surfaces/merchant/terminal-schemas.ts";
import { get } from "../../api/client.ts";
import { Banner } from "../../components/banner.tsx";
import { DateField } from "../../components/date-field.tsx";
import { SelectField } from "../../components/field.tsx";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { dayCount } from "../../i18n/days.ts";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { useResource } from "../../state/resource.ts";
import { COMPARISONS, GRANULARITIES, isOfPayments, type Shown } from "./filters.ts";
import { DAYS_MAX, daysOfPreset, HOURLY_DAYS_MAX, PRESETS, type Preset, presetOf, problemOf } from "./period.ts";
import { analyticsText } from "./texts.ts";

/** Chooses the days of a report, the comparison and the filters. */
export function FilterFields({ filters, shown }: { filters: Filters; shown: Shown }) {
  const { values, set } = filters;
  const words = analyticsText();
  const { days, compare, granularity, tab } = shown;
  // A custom period starts with the current days, which are then in the address.
  const isOther = values["days"] === "other";
  const preset = isOther ? null : presetOf(days);
  const problem = problemOf(days);
  return (
    <>
      <div class="filters filters-report">
        <SelectField<Preset | "custom">
          label={words.period}
          value={preset ?? "custom"}
          options={[...PRESETS, "custom" as const].map((value) => ({ value, label: words.periods[value] }))}
          onChange={(chosen) => set(chosen === "custom" ? { ...days, days: "other" } : { ...daysOfPreset(chosen), days: null })}
        />
        <SelectField
          label={words.compare}
          value={compare}
          options={COMPARISONS.map((value) => ({ value, label: words.compares[value] }))}
          onChange={(chosen) => set({ compare: chosen === "previous" ? null : chosen })}
        />
        <SelectField
          label={words.granularity}
          value={granularity ?? ""}
          options={[
            { value: "", label: words.granularities.auto },
            ...GRANULARITIES.map((value) => ({
              value,
              label: words.granularities[value],
              disabled: value === "hour" && dayCount(days.from, days.to) > HOURLY_DAYS_MAX,
            })),
          ]}
          onChange={(chosen) => set({ granularity: chosen })}
        />
        {isOfPayments(tab) && <PaymentFilters filters={filters} shown={shown} />}
        {preset === null && (
          <>
            <DateField label={words.from} value={days.from} onChange={(from) => from !== "" && set({ ...days, from, days: "other" })} />
            <DateField label={words.to} value={days.to} onChange={(to) => to !== "" && set({ ...days, to, days: "other" })} />
          </>
        )}
      </div>
      {problem !== null && (
        <Banner kind="warning" alert>
          {{ reversed: words.rangeReversed, long: words.rangeLong(DAYS_MAX) }[problem]}
        </Banner>
      )}
      <FilterFoot filters={filters} />
    </>
  );
}

function PaymentFilters({ filters: { set }, shown: { terminalId, method } }: { filters: Filters; shown: Shown }) {
  const words = analyticsText();
  const { app, methods } = text();
  const terminals = useResource("terminals of the filters", (signal) => get<TerminalsJson>("/terminals", { signal }));
  const known = terminals.data?.items.map((terminal) => terminal.terminalId) ?? [];
  const all = { value: "", label: app.all };
  return (
    <>
      <SelectField
        label={words.terminal}
        value={terminalId ?? ""}
        options={[all, ...[...new Set([...known, ...(terminalId === null ? [] : [terminalId])])].map((value) => ({ value, label: value }))]}
        onChange={(chosen) => set({ terminalId: chosen })}
      />
      <SelectField
        label={words.method}
        value={method ?? ""}
        options={[all, ...Object.entries(methods).map(([value, label]) => ({ value, label }))]}
        onChange={(chosen) => set({ method: chosen })}
      />
    </>
  );
}
