/** The lowest priority. On a phone such a column is left out too. */
export const PRIORITY_LOW = 3;

/** A column of this priority never leaves. */
export const PRIORITY_KEEP = 1;

const PRIORITY_NORMAL = 2;

export interface Ranked {
  readonly key: string;
  readonly priority?: number;
}

/**
 * Returns the keys of the columns that may leave, in the order in which they do: the lowest
 * priority first, and of one priority the last column. The first column names the row and stays.
 */
export function leavingOrder(columns: readonly Ranked[]): string[] {
  return columns
    .slice(1)
    .map(({ key, priority = PRIORITY_NORMAL }) => ({ key, priority }))
    .filter(({ priority }) => priority > PRIORITY_KEEP)
    .reverse()
    .sort((one, other) => other.priority - one.priority)
    .map(({ key }) => key);
}
