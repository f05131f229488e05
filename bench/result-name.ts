/** What the name of a result says, without its ending: `<date>[-<kind>]-<cores>cores[-<processor>][-<number>]`. */
export interface ResultName {
  name: string;
  /** YYYY-MM-DD. */
  date: string;
  /** `cluster`, `links`; null for the node by itself. */
  kind: string | null;
  /** Null where the name tells of no machine: what somebody wrote down has a date and a kind alone. */
  cores: number | null;
  processor: string | null;
  /** Of results of one day, kind and machine. */
  number: number;
}

const NAME = /^(\d{4}-\d{2}-\d{2})(?:-(.+?))?-(\d+)cores(?:-(apple-m\d+|[a-z]+))?(?:-(\d+))?$/;
const WRITTEN_DOWN = /^(\d{4}-\d{2}-\d{2})-([a-z].*)$/;

/** Null where it is no name of a result. */
export function readResultName(name: string): ResultName | null {
  const measured = NAME.exec(name);
  if (measured !== null) {
    const [, date = "", kind = null, cores, processor = null, number] = measured;
    return { name, date, kind, cores: Number(cores), processor, number: Number(number ?? 1) };
  }
  const [, date, kind] = WRITTEN_DOWN.exec(name) ?? [];
  return date === undefined || kind === undefined ? null : { name, date, kind, cores: null, processor: null, number: 1 };
}

/** So many of each kind are kept. */
export const KEPT = 2;

/** Each kind's results, the newest first: by day, then by number, then by machine. */
export function byKind(names: readonly ResultName[]): Map<string | null, ResultName[]> {
  const kinds = new Map<string | null, ResultName[]>();
  for (const one of names.toSorted(newestFirst)) kinds.set(one.kind, [...(kinds.get(one.kind) ?? []), one]);
  return kinds;
}

function newestFirst(one: ResultName, other: ResultName): number {
  return compared(other.date, one.date) || other.number - one.number || compared(other.name, one.name);
}

function compared(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}
