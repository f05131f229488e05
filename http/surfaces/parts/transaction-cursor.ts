import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { TransactionKey } from "../../../engine/payments/merchant-transactions.ts";

const IDENTIFIER = new RegExp(`^[A-Za-z0-9._-]{1,${IDENTIFIER_LENGTH_MAX}}$`);

/** Where a page ended, as an opaque text. It names a place in the list of whoever asks, and opens nothing. */
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
  return new RelayError("invalid_request", "cursor: is not one that a page of this list has answered");
}
