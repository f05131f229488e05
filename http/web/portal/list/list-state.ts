import { useState } from "preact/hooks";
import { type Filters, useFilters } from "../state/filters.ts";
import { may } from "../state/session.ts";
import { type ListDeclaration, queryOf } from "./declaration.ts";

export interface ListState {
  filters: Filters;
  /** The query for the relay, without values that no filter accepts. */
  query: Record<string, string>;
  /** Counts the changes that this page made. */
  round: number;
  /** Loads the list again. */
  changed(): void;
}

/** Reads the filters of a list from the address, and counts the changes made on its page. */
export function useList(list: ListDeclaration): ListState {
  const filters = useFilters(Object.keys(list.filters));
  const [round, setRound] = useState(0);
  return { filters, query: queryOf(list, filters.values, may), round, changed: () => setRound((before) => before + 1) };
}
