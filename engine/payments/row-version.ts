import type { FeedRow, LifeRow, TransactionRow } from "./feed-row.ts";

/** Above every revision that a record comes to. */
const REVISIONS_MAX = 2 ** 40;

/** What stands above what: a terminal's word above what time alone has made of a command. Revisions tell only what one store has seen. */
const RANKS: Readonly<Record<LifeRow["state"], number>> = { expired: 1, unknown: 1, cancelled: 2, done: 3 };

/**
 * The version of a row of something that ended so: its rank first, then the revision of its record. A store that was restored has lower revisions, or the
 * same with another end; so that what it ends once more never stands above what it had forgotten.
 */
export function rowVersion(state: LifeRow["state"], revision: number): number {
  return RANKS[state] * REVISIONS_MAX + revision;
}

/** The revision of the record that a row with this version was made of. */
export function revisionOf(version: number): number {
  return version % REVISIONS_MAX;
}

/** A row as it is now; those of former releases had their record's revision for a version. */
export function ranked<Row extends FeedRow>(row: Row): Row {
  if ((row.type !== "transaction" && row.type !== "life") || row.version >= REVISIONS_MAX) return row;
  return { ...row, version: rowVersion(row.type === "life" ? row.state : transactionState(row), row.version) };
}

/** A result is the end of its command; a payment link may have ended without having been paid. */
function transactionState({ transaction: { method, status }, life }: TransactionRow): LifeRow["state"] {
  if (life !== undefined) return life.state;
  return method === "PAYBYLINK" && status !== "OK" ? "unknown" : "done";
}
