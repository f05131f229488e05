import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { TransactionKey, TransactionOrder } from "../../../engine/payments/merchant-transactions.ts";

const IDENTIFIER = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/**
 * Returns the end of a page as an opaque text. It only marks a cursor position in the caller's own
 * list and grants no access.
 */
export function cursorOf({ createdAtMs, uuid, terminalId, amountMinor }: TransactionKey, order: TransactionOrder = "newest"): string {
  const ordered = order === "newest" ? "" : `/${order}/${isByAmount(order) ? amountMinor : ""}`;
  return Buffer.from(`${createdAtMs}/${uuid}/${terminalId}${ordered}`).toString("base64url");
}

/**
 * Throws RelayError `invalid_request` for a text that `cursorOf` did not make for a list in this
 * order.
 */
export function readCursor(cursor: string, order: TransactionOrder = "newest"): TransactionKey {
  const [time = "", uuid = "", terminalId = "", , amount = "", ...more] = Buffer.from(cursor, "base64url").toString("latin1").split("/");
  const createdAtMs = /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN;
  const key = { createdAtMs, uuid, terminalId, ...(/^-?\d{1,15}$/.test(amount) ? { amountMinor: Number(amount) } : {}) };
  if (isByAmount(order) && key.amountMinor === undefined) throw damagedCursor();
  if (more.length > 0 || !IDENTIFIER.test(uuid) || !IDENTIFIER.test(terminalId) || cursorOf(key, order) !== cursor) throw damagedCursor();
  return key;
}

function isByAmount(order: TransactionOrder): boolean {
  return order === "largest" || order === "smallest";
}

export function damagedCursor(): RelayError {
  return new RelayError("invalid_request", "cursor: did not come from a page of this list; start again without it");
}
