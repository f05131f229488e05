import { useId, useState } from "preact/hooks";
import type { TerminalsJson } from "../../../../surfaces/merchant/terminal-schemas.ts";
import { get } from "../../api/client.ts";
import { AmountEcho } from "../../components/amount-field.tsx";
import { Button } from "../../components/button.tsx";
import { SelectField } from "../../components/field.tsx";
import { FilterFoot } from "../../components/filter-bar.tsx";
import { DayFields } from "../../components/period-field.tsx";
import { TypedField } from "../../components/typed-field.tsx";
import { amountProblem, minorOf, typedAmount } from "../../i18n/amounts.ts";
import { text } from "../../i18n/texts.ts";
import type { Filters } from "../../state/filters.ts";
import { daysOf, PERIODS, type Period, periodOf } from "../../state/period.ts";
import { useResource } from "../../state/resource.ts";
import { Q_LENGTH_MIN } from "./words.ts";

/** Shows the days and the amounts on request, or if one of them is set. */
export function FilterFields({ filters }: { filters: Filters }) {
  const { transactions: words, app, methods } = text();
  const terminals = useResource("terminals of the filters", (signal) => get<TerminalsJson>("/terminals", { signal }));
  const { values, set } = filters;
  const period = periodOf(values);
  const choices = terminals.data?.items.map(({ terminalId }) => terminalId) ?? [];
  const chosen = values["terminalId"] ?? "";
  const [opened, setOpened] = useState(false);
  const rare = useId();
  const isRare = ["amountMin", "amountMax", "isPayment"].some((name) => values[name] !== undefined);
  const isOpen = opened || isRare || period === "other";
  return (
    <>
      <div class="filters">
        <TypedField
          label={words.search}
          hint={words.searchHint}
          value={values["q"] ?? ""}
          onSettled={(q) => set({ q })}
          problem={(q) => (q !== "" && q.length < Q_LENGTH_MIN ? words.searchShort : null)}
          type="search"
        />
        <SelectField<Period>
          label={words.period}
          value={period}
          options={[
            ...PERIODS.map((value) => ({ value, label: words.periods[value] })),
            ...(period === "other" ? [{ value: "other" as const, label: words.periods.other }] : []),
          ]}
          onChange={(chosenPeriod) => chosenPeriod !== "other" && set(daysOf(chosenPeriod))}
        />
        <SelectField
          label={words.columns.status}
          value={outcomeOf(values)}
          options={[
            { value: "", label: app.all },
            { value: "OK", label: words.statuses.OK },
            { value: "OK NONE", label: words.notRefunded },
            { value: " REFUNDED", label: words.refundStates.REFUNDED },
            { value: " PARTLY_REFUNDED", label: words.refundStates.PARTLY_REFUNDED },
            { value: " ANY", label: words.anyRefund },
            { value: "KO", label: words.statuses.KO },
          ]}
          onChange={(outcome) => {
            const [status = "", refundState = ""] = outcome.split(" ");
            set({ status, refundState });
          }}
        />
        <SelectField
          label={words.columns.method}
          value={values["method"] ?? ""}
          options={[{ value: "", label: app.all }, ...Object.entries(methods).map(([value, label]) => ({ value, label }))]}
          onChange={(method) => set({ method })}
        />
        <SelectField
          label={words.columns.terminal}
          value={chosen}
          options={[
            { value: "", label: app.all },
            ...[...new Set([...choices, ...(chosen === "" ? [] : [chosen])])].map((value) => ({ value, label: value })),
          ]}
          onChange={(terminalId) => set({ terminalId })}
        />
      </div>
      {isOpen && (
        <div class="filters filters-rare" id={rare}>
          <DayFields filters={filters} />
          <AmountFilter label={words.amountMin} value={values["amountMin"] ?? ""} onChange={(amountMin) => set({ amountMin })} />
          <AmountFilter label={words.amountMax} value={values["amountMax"] ?? ""} onChange={(amountMax) => set({ amountMax })} />
          <SelectField
            label={words.results}
            value={values["isPayment"] === "false" ? "false" : ""}
            options={[
              { value: "", label: words.resultKinds.payments },
              { value: "false", label: words.resultKinds.others },
            ]}
            onChange={(isPayment) => set({ isPayment })}
          />
        </div>
      )}
      <FilterFoot
        filters={{
          count: filters.count,
          clear: () => {
            setOpened(false);
            filters.clear();
          },
        }}
      >
        <Button
          small
          kind="quiet"
          icon={isOpen ? "chevronUp" : "chevronDown"}
          onClick={() => setOpened(!isOpen)}
          expands={{ id: rare, open: isOpen }}
        >
          {isOpen ? words.fewerFilters : words.moreFilters}
        </Button>
      </FilterFoot>
    </>
  );
}

/**
 * Combines the outcome and the refund state in one choice. If an address combines them in another
 * way, the refund state is shown.
 */
function outcomeOf({ status = "", refundState = "" }: Readonly<Record<string, string>>): string {
  if (refundState === "") return status;
  return refundState === "NONE" ? "OK NONE" : ` ${refundState}`;
}

/** Amounts of the list are in any currency, so these have none. */
function AmountFilter({ label, value, onChange }: { label: string; value: string; onChange: (minor: string) => void }) {
  const problem = (written: string): string | null => (written === "" || minorOf(written, "") === 0 ? null : amountProblem(written, ""));
  return (
    <TypedField
      label={label}
      value={/^\d{1,12}$/.test(value) ? typedAmount(Number(value), "") : ""}
      inputMode="decimal"
      placeholder={typedAmount(0, "")}
      problem={problem}
      echo={(written, change) => <AmountEcho written={written} currency="" onChoose={change} />}
      onSettled={(written) => onChange(written === "" ? "" : String(minorOf(written, "") ?? ""))}
    />
  );
}
