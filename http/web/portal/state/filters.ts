import { useLocation } from "preact-iso/router";

export interface Filters {
  /** The filters of the address. A filter that is absent or empty has no value. */
  values: Readonly<Record<string, string>>;
  /**
   * Changes filters in the address without a new history entry. Null or an empty text removes one.
   */
  set(changes: Readonly<Record<string, string | null>>): void;
  clear(): void;
  /** The number of filters that are set. */
  count: number;
  /** All filters as the query of the page. A saved view stores it. */
  query: string;
}

/** Keeps the filters of a list in the address, so that they survive a reload and can be shared. */
export function useFilters(names: readonly string[]): Filters {
  const { query, path, route } = useLocation();
  const values = Object.fromEntries(
    names.flatMap((name) => {
      const value = query[name] ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const go = (wanted: Readonly<Record<string, string>>): void => {
    const search = new URLSearchParams(wanted).toString();
    route(`${path}${search === "" ? "" : `?${search}`}`, true);
  };
  return {
    values,
    set: (changes) => {
      const { ...all }: Record<string, string> = query;
      for (const [name, value] of Object.entries(changes)) {
        if (value === null || value === "") delete all[name];
        else all[name] = value;
      }
      go(all);
    },
    clear: () => go(Object.fromEntries(Object.entries(query).filter(([name]) => !names.includes(name)))),
    count: Object.keys(values).length,
    query: new URLSearchParams(values).toString(),
  };
}
