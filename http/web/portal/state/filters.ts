import { useLocation } from "preact-iso/router";

export interface Filters {
  /** The filters of the address; a member that is absent or empty has no value. */
  values: Readonly<Record<string, string>>;
  /** Changes some of them, in the address and without a new step in the history; null or an empty text takes one away. */
  set(changes: Readonly<Record<string, string | null>>): void;
  clear(): void;
  /** How many are set. */
  count: number;
  /** All of them as text: the query of the page, which a saved view keeps. */
  query: string;
}

/** The filters of a list live in the address, so that they survive a reload and can be sent to somebody. */
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
