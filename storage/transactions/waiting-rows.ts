import type { FeedRow, TransactionRow } from "../../engine/payments/feed-row.ts";

/** What tells a row from all others: uuids of two terminals may be the same. */
export interface RowKey {
  uuid: string;
  terminalId: string;
}

/** Neither an id of a terminal nor a uuid contains a space. */
export function keyText({ uuid, terminalId }: RowKey): string {
  return `${terminalId} ${uuid}`;
}

/** Of the rows that `isWanted`, by terminal and uuid that with the highest version. */
export function newestOf(rows: readonly FeedRow[], isWanted: (row: TransactionRow) => boolean): TransactionRow[] {
  const newest = new Map<string, TransactionRow>();
  for (const row of rows) {
    if (row.type !== "transaction" || !isWanted(row)) continue;
    const key = keyText(row.transaction);
    const known = newest.get(key);
    if (known === undefined || known.version < row.version) newest.set(key, row);
  }
  return [...newest.values()];
}

/**
 * Leaves out rows that ClickHouse has in the same or a higher version: delivered, but not yet deleted from the outbox. `versions` answers with those of ClickHouse's
 * rows from and to (included) two times, by `keyText`.
 */
export async function withoutStored(
  rows: readonly TransactionRow[],
  versions: (fromMs: number, toMs: number) => Promise<ReadonlyMap<string, number>>,
): Promise<TransactionRow[]> {
  if (rows.length === 0) return [];
  const times = rows.map(({ transaction }) => transaction.createdAtMs);
  const stored = await versions(Math.min(...times), Math.max(...times));
  return rows.filter(({ transaction, version }) => version > (stored.get(keyText(transaction)) ?? -1));
}
