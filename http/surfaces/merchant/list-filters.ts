import { type SchemaOptions, type TBoolean, type TInteger, type TOptional, type TString, type TUnsafe, Type } from "@sinclair/typebox";
import { EMAIL_LENGTH_MAX } from "../../../engine/accounts/account.ts";
import { words } from "../parts/schemas.ts";
import { DAY } from "../parts/time.ts";
import { ToDay } from "./schema-parts.ts";

/** A filter of a list, as `list.ts` of a resource declares it for its endpoint and its page. */
type Filter =
  | { readonly type: "word"; readonly words: readonly string[] }
  | { readonly type: "text"; readonly pattern?: string; readonly minLength?: number; readonly maxLength?: number }
  | { readonly type: "integer"; readonly minimum: number; readonly maximum: number }
  | { readonly type: "flag"; readonly default: boolean }
  | { readonly type: "day" }
  | { readonly type: "email" };

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

function schemaOf(name: string, { type, ...filter }: Filter, options: SchemaOptions = {}) {
  switch (type) {
    case "word":
      return Type.Optional("words" in filter ? words(filter.words, options) : Type.Never());
    case "integer":
      return Type.Optional(Type.Integer({ ...filter, ...options }));
    case "flag":
      return Type.Boolean({ ...filter, ...options });
    case "text":
      return Type.Optional(Type.String({ ...filter, ...options }));
    case "email":
      return Type.Optional(Type.String({ minLength: 3, maxLength: EMAIL_LENGTH_MAX, ...options }));
    case "day":
      return Type.Optional(name === "to" ? ToDay : Type.String({ ...DAY, ...options }));
  }
}
