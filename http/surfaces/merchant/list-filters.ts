import { type SchemaOptions, type TBoolean, type TInteger, type TOptional, type TString, type TUnsafe, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../engine/accounts/account.ts";
import { words } from "../parts/schemas.ts";
import { DAY } from "../parts/time.ts";
import { ToDay } from "./schema-parts.ts";
import { type ListSorts, NEWEST } from "./sorts.ts";

/** A filter that `list.ts` of a resource declares. Its other members are options of the schema. */
interface Filter extends SchemaOptions {
  readonly type: "word" | "text" | "integer" | "flag" | "day" | "email";
  readonly words?: readonly string[];
}

type FilterSchema<F extends Filter> = F extends { type: "word"; words: readonly (infer Word)[] }
  ? TOptional<TUnsafe<Word>>
  : F extends { type: "integer" }
    ? TOptional<TInteger>
    : F extends { type: "flag" }
      ? TBoolean
      : TOptional<TString>;

/** Returns the query members of the filters. `options` describes them for the document. */
export function filtersOf<L extends { readonly [name: string]: Filter }>(
  list: L,
  options: { readonly [Name in keyof L]?: SchemaOptions } = {},
): { [Name in keyof L]: FilterSchema<L[Name]> } {
  const schemas = Object.entries(list).map(([name, filter]) => [name, schemaOf(name, filter, options[name])]);
  // Object.fromEntries loses the types of the members.
  return Object.fromEntries(schemas) as { [Name in keyof L]: FilterSchema<L[Name]> };
}

type SortOf<L extends ListSorts> = L[keyof L]["ascending" | "descending"];

/** Returns the member `sort` of a query. `description` adds to the meaning of the values. */
export function sortOf<const L extends ListSorts>(sorts: L, description = ""): { sort: TOptional<TUnsafe<SortOf<L>>> } {
  const values = Object.values(sorts).flatMap(({ ascending, descending }) => [descending, ascending]);
  const schema = words(values, {
    description: `The order of the list; by default \`${NEWEST}\`. Pass the same value with a cursor.${description}`,
  });
  // Object.values loses the types of the words.
  return { sort: Type.Optional(schema) as TOptional<TUnsafe<SortOf<L>>> };
}

function schemaOf(name: string, { type, words: choices = [], ...filter }: Filter, given: SchemaOptions = {}) {
  const options = { ...filter, ...given };
  if (type === "flag") return Type.Boolean(options);
  if (type === "day") return Type.Optional(name === "to" ? ToDay : Type.String({ ...DAY, ...options }));
  if (type === "email") return Type.Optional(Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, ...options }));
  if (type === "word") return Type.Optional(words(choices, options));
  return Type.Optional(type === "integer" ? Type.Integer(options) : Type.String(options));
}
