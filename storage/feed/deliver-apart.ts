import { RowsRefused } from "./feed-sink.ts";

/** An item that its sink refuses by itself, and why. */
export interface Refused<T> {
  item: T;
  reason: string;
}

/**
 * Delivers items, and answers those that are refused: a batch with a refused one becomes two halves, until that one is alone. Throws
 * whatever else the delivery does; then it has to be repeated as a whole.
 */
export async function deliverApart<T>(items: readonly T[], deliver: (items: readonly T[]) => Promise<void>): Promise<Refused<T>[]> {
  const [first] = items;
  if (first === undefined) return [];
  try {
    await deliver(items);
    return [];
  } catch (error) {
    if (!(error instanceof RowsRefused)) throw error;
    if (items.length === 1) return [{ item: first, reason: error.message }];
  }
  const middle = items.length >> 1;
  return [...(await deliverApart(items.slice(0, middle), deliver)), ...(await deliverApart(items.slice(middle), deliver))];
}
