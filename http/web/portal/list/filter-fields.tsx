import { type ComponentChildren, Fragment } from "preact";
import { CheckField, SelectField } from "../components/field.tsx";
import { emailProblem } from "../components/field-problems.ts";
import { FilterFoot } from "../components/filter-bar.tsx";
import { DayFields, PeriodDays, PeriodField } from "../components/period-field.tsx";
import { TypedField } from "../components/typed-field.tsx";
import { text } from "../i18n/texts.ts";
import type { Filters } from "../state/filters.ts";
import type { FilterDeclaration, ListDeclaration } from "./declaration.ts";

const EMAIL_LENGTH_MAX = 254;

interface Labelled {
  readonly label: string;
}

/** A choice among the words that the filter declares. */
interface WordsField<Word extends string> extends Labelled {
  readonly words: Readonly<Record<Word, string>>;
}

/** A value of the address that is not among the choices is appended, with the name `unlisted`. */
interface ChoicesField extends Labelled {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly unlisted?: (value: string) => string;
}

interface WrittenField extends Labelled {
  readonly hint?: string;
  readonly type?: "search";
}

/** The field of a filter. A function draws a field that only its page has. */
type FieldOf<Filter extends FilterDeclaration> =
  | (Filter extends { readonly type: "word"; readonly words: readonly (infer Word extends string)[] }
      ? WordsField<Word>
      : Filter extends { readonly type: "day" | "flag" }
        ? Labelled
        : WrittenField | ChoicesField)
  | ((filters: Filters) => ComponentChildren);

/** The fields in the order of the page. `from` shows periods, or the two days only (`"days"`). */
export type FieldsOf<List extends ListDeclaration> = {
  readonly [Name in keyof List["filters"]]?: FieldOf<List["filters"][Name]> | (Name extends "from" ? "days" : never);
};

type AnyField = WordsField<string> | ChoicesField | WrittenField | Labelled | "days" | ((filters: Filters) => ComponentChildren);

/** Shows the fields of a list, and the button that clears them. */
export function FilterFields<List extends ListDeclaration>({
  list,
  fields,
  filters,
  seesPersonalData,
}: {
  list: List;
  fields: FieldsOf<List>;
  filters: Filters;
  /** Whether the person may filter by personal data. */
  seesPersonalData: boolean;
}) {
  const shown = Object.entries<AnyField | undefined>(fields).flatMap(([name, field]) => {
    const filter = list.filters[name];
    return field === undefined || filter === undefined ? [] : [{ name, filter, field, filters, seesPersonalData }];
  });
  const draw = (one: Shown) => <Fragment key={one.name}>{fieldOf(one)}</Fragment>;
  const flags = shown.filter(({ filter }) => filter.type === "flag");
  return (
    <>
      <div class="filters">
        {shown.filter(({ filter }) => filter.type !== "flag").map(draw)}
        {typeof fields["from"] === "object" && <PeriodDays filters={filters} />}
      </div>
      <FilterFoot filters={filters}>{flags.length === 0 ? undefined : flags.map(draw)}</FilterFoot>
    </>
  );
}

type Shown = { name: string; filter: FilterDeclaration; field: AnyField; filters: Filters; seesPersonalData: boolean };

function fieldOf({ name, filter, field, filters, seesPersonalData }: Shown): ComponentChildren {
  if (typeof field === "function") return field(filters);
  if (field === "days") return <DayFields filters={filters} />;
  if (filter.type === "day") return <PeriodField label={field.label} filters={filters} />;
  const value = filters.values[name] ?? "";
  if (filter.type === "flag") {
    const { default: usual } = filter;
    const toggle = (checked: boolean) => filters.set({ [name]: checked === usual ? null : String(checked) });
    return <CheckField label={field.label} checked={value === String(!usual) ? !usual : usual} onChange={toggle} />;
  }
  const set = (changed: string) => filters.set({ [name]: changed });
  const choices = choicesOf(filter, field, value);
  if (choices !== null) {
    return <SelectField label={field.label} value={value} options={[{ value: "", label: text().app.all }, ...choices]} onChange={set} />;
  }
  const { hint, type } = { hint: undefined, type: undefined, ...field };
  const isEmail = filter.type === "email";
  if (isEmail && !seesPersonalData) return null;
  return (
    <TypedField
      label={field.label}
      hint={hint}
      type={type}
      inputMode={isEmail ? "email" : undefined}
      value={value}
      onSettled={set}
      problem={(written) => (isEmail && written !== "" ? emailProblem(written) : null)}
      maxLength={isEmail ? EMAIL_LENGTH_MAX : filter.type === "text" ? filter.maxLength : undefined}
    />
  );
}

/** Returns null if the person types the value. */
function choicesOf(filter: FilterDeclaration, field: Exclude<AnyField, "days" | ((filters: Filters) => unknown)>, value: string) {
  if ("words" in field)
    return filter.type === "word" ? filter.words.map((word) => ({ value: word, label: field.words[word] ?? word })) : null;
  if (!("choices" in field)) return null;
  const isListed = value === "" || field.choices.some((choice) => choice.value === value);
  return isListed ? field.choices : [...field.choices, { value, label: field.unlisted?.(value) ?? value }];
}
