import type { MerchantAct } from "../../../../engine/access/merchant-user-grant.ts";
import { type ListSorts, NEWEST } from "../../../surfaces/merchant/sorts.ts";
import { isDay } from "../i18n/is-day.ts";

/** Describes the values that a filter accepts. It is data, which pages and the relay can share. */
export type FilterDeclaration =
  | { readonly type: "word"; readonly words: readonly string[] }
  | { readonly type: "text"; readonly pattern?: string; readonly minLength?: number; readonly maxLength?: number }
  | { readonly type: "integer"; readonly minimum: number; readonly maximum: number }
  | { readonly type: "flag"; readonly default: boolean }
  | { readonly type: "day" }
  /** Only people who may see personal data filter by an e-mail address. */
  | { readonly type: "email" };

export interface ListDeclaration {
  /** The page's address is `/portal/{page}`. Saved views store the list under this name too. */
  readonly page: string;
  /** The path below the portal's interface. */
  readonly path: string;
  /** The address and the interface use the same names, and the address has this order. */
  readonly filters: Readonly<Record<string, FilterDeclaration>>;
  /** The columns whose headers sort the list. The relay returns the newest first by default. */
  readonly sorts?: ListSorts;
  /** The relay returns the newest first, unless the filters have these values. */
  readonly sort?: { readonly order: string; readonly when: Readonly<Record<string, string>> };
}

/** The column that sorts a table. */
export interface Sorting {
  key: string;
  direction: "ascending" | "descending";
}

/**
 * Returns the column that a value of `sort` sorts by, or null if the list does not have the value.
 */
export function sortingOf({ sorts = {} }: Pick<ListDeclaration, "sorts">, value: string): Sorting | null {
  for (const [key, { ascending, descending }] of Object.entries(sorts)) {
    if (value === ascending) return { key, direction: "ascending" };
    if (value === descending) return { key, direction: "descending" };
  }
  return null;
}

/** Returns the value of `sort` for a column; null for the default order. */
export function sortValueOf({ sorts }: Pick<ListDeclaration, "sorts">, { key, direction }: Sorting): string | null {
  const value = sorts?.[key]?.[direction] ?? null;
  return value === NEWEST ? null : value;
}

export type FilterValues = Readonly<Record<string, string>>;

const EMAIL = /^[^\s@]+@[^\s@]+$/;

/**
 * Returns the query for the relay. It skips values that a filter does not accept, because a person
 * may have typed the address, or got it from somebody who sees more.
 */
export function queryOf(list: ListDeclaration, values: FilterValues, may: (act: MerchantAct) => boolean): Record<string, string> {
  const asked = Object.fromEntries(
    Object.entries(list.filters).flatMap(([name, filter]) => {
      const value = values[name];
      return value === undefined || !accepts(filter, value, may) ? [] : [[name, value]];
    }),
  );
  const { sort } = list;
  const isSorted = sort !== undefined && Object.entries(sort.when).every(([name, value]) => asked[name] === value);
  return isSorted ? { ...asked, order: sort.order } : asked;
}

function accepts(filter: FilterDeclaration, value: string, may: (act: MerchantAct) => boolean): boolean {
  switch (filter.type) {
    case "word":
      return filter.words.includes(value);
    case "text": {
      const { pattern = "", minLength = 0, maxLength = Number.POSITIVE_INFINITY } = filter;
      return value.length >= minLength && value.length <= maxLength && new RegExp(pattern).test(value);
    }
    case "integer":
      return /^[1-9]\d{0,8}$/.test(value) && Number(value) >= filter.minimum && Number(value) <= filter.maximum;
    case "flag":
      // The address names a flag only if it differs from its default.
      return value === String(!filter.default);
    case "day":
      return isDay(value);
    case "email":
      return may("see personal data") && EMAIL.test(value);
  }
}

/** The address of a list with these filters: values by name, or the query of an address. */
export function listHref(page: string, filters: FilterValues | string = ""): string {
  return hrefOf(`/portal/${page}`, filters);
}

/** The address of an object, with the filters of the list behind it. */
export function objectHref(page: string, id: string, filters: FilterValues | string = ""): string {
  return hrefOf(`/portal/${page}/${encodeURIComponent(id)}`, filters);
}

function hrefOf(path: string, filters: FilterValues | string): string {
  const query = new URLSearchParams(filters).toString();
  return query === "" ? path : `${path}?${query}`;
}
