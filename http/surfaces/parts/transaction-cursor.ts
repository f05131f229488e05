import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { TransactionKey } from "../../../engine/payments/merchant-transactions.ts";

const IDENTIFIER = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/**
 * Returns the end of a page as an opaque text. It only marks a cursor position in the caller's own
 * list and grants no access.
 */
export function cursorOf({ createdAtMs, uuid, terminalId }: TransactionKey): string {
  return Buffer.from(`${createdAtMs}/${uuid}/${terminalId}`).toString("base64url");
}

/** Throws RelayError `invalid_request` for a text that `cursorOf` did not make. */
export function readCursor(cursor: string): TransactionKey {
  const [time = "", uuid = "", terminalId = "", ...more] = Buffer.from(cursor, "base64url").toString("latin1").split("/");
  const createdAtMs = /^\d{1,15}$/.test(time) ? Number(time) : Number.NaN;
  const key = { createdAtMs, uuid, terminalId };
  if (more.length > 0 || !IDENTIFIER.test(uuid) || !IDENTIFIER.test(terminalId) || cursorOf(key) !== cursor) throw damagedCursor();
  return key;
}

export function damagedCursor(): RelayError {
  return new RelayError("invalid_request", "cursor: did not come from a page of this list; start again without it");
}
