import type { TransactionKey, TransactionOrder } from "../../engine/payments/merchant-transactions.ts";

/** Every order includes the whole key, so that no two rows have the same place. */
const COLUMNS: Readonly<Record<TransactionOrder, { readonly columns: readonly string[]; readonly direction: "ASC" | "DESC" }>> = {
  newest: { columns: ["created_at", "uuid", "terminal_id"], direction: "DESC" },
  oldest: { columns: ["created_at", "uuid", "terminal_id"], direction: "ASC" },
  largest: { columns: ["amount_cents", "created_at", "uuid", "terminal_id"], direction: "DESC" },
  smallest: { columns: ["amount_cents", "created_at", "uuid", "terminal_id"], direction: "ASC" },
};

export function isByAmount(order: TransactionOrder): boolean {
  return order === "largest" || order === "smallest";
}

export function orderBy(order: TransactionOrder): string {
  const { columns, direction } = COLUMNS[order];
  return `ORDER BY ${columns.map((column) => `${column} ${direction}`).join(", ")}`;
}

/**
 * Returns the condition for rows after the last row of a page. An amount may change with a new
 * version of a row, and a time may not, so only orders by time can be checked before the newest
 * version is known (`isOfKey`).
 */
export function afterCondition(
  order: TransactionOrder,
  { createdAtMs: afterMs, uuid: afterUuid, terminalId: afterTerminal, amountMinor }: TransactionKey,
): { readonly text: string; readonly isOfKey: boolean; readonly parameters: Record<string, unknown> } {
  const { columns, direction } = COLUMNS[order];
  const [less, lessOrEqual] = direction === "DESC" ? ["<", "<="] : [">", ">="];
  const time = "fromUnixTimestamp64Milli({afterMs:Int64}, 'UTC')";
  const values = [...(isByAmount(order) ? ["{afterAmount:Int64}"] : []), time, "{afterUuid:String}", "{afterTerminal:String}"];
  return {
    text: `${columns[0]} ${lessOrEqual} ${values[0]} AND (${columns.join(", ")}) ${less} (${values.join(", ")})`,
    isOfKey: !isByAmount(order),
    parameters: { afterMs, afterUuid, afterTerminal, ...(isByAmount(order) ? { afterAmount: amountMinor ?? 0 } : {}) },
  };
}

/**
 * Returns true if `one` comes after `other` in a list with the newest first. For equal keys it
 * returns false.
 */
export function isOlder(one: TransactionKey, other: TransactionKey): boolean {
  if (one.createdAtMs !== other.createdAtMs) return one.createdAtMs < other.createdAtMs;
  if (one.uuid !== other.uuid) return one.uuid < other.uuid;
  return one.terminalId < other.terminalId;
}

/** Compares two rows of a list for `sort`. */
export function compareIn(order: TransactionOrder): (one: TransactionKey, other: TransactionKey) => number {
  const sign = order === "newest" || order === "largest" ? 1 : -1;
  return (one, other) => {
    const byAmount = isByAmount(order) ? (other.amountMinor ?? 0) - (one.amountMinor ?? 0) : 0;
    return sign * (byAmount || newestFirst(one, other));
  };
}

export function newestFirst(one: TransactionKey, other: TransactionKey): number {
  return isOlder(one, other) ? 1 : isOlder(other, one) ? -1 : 0;
}
