import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import { IDENTIFIER_LENGTH_MAX } from "../../../engine/kernel/limits.ts";
import type { MerchantTransactionFilter, TransactionKey } from "../../../engine/payments/merchant-transactions.ts";
import { FIRST_DAY, LAST_DAY } from "../day.ts";
import type { LocalTime } from "../local-time.ts";
import { TRANSACTION_FILTERS } from "./schemas.ts";

export const TransactionFilters = Type.Object(TRANSACTION_FILTERS);

/** First millisecond of a day of the query, and the first of the next. Throws RelayError `invalid_request`. */
export function dayOfQuery(member: string, day: string, localTime: LocalTime): { fromMs: number; untilMs: number } {
  const range = day < FIRST_DAY || day > LAST_DAY ? null : localTime.dayRange(day);
  if (range === null) throw new RelayError("invalid_request", `${member}: is not a day of the calendar from ${FIRST_DAY} to ${LAST_DAY}`);
  return range;
}

/** The range of `from` and `to`, both included; open where one is absent. Throws RelayError `invalid_request`. */
export function rangeOfQuery(query: { from?: string; to?: string }, localTime: LocalTime): { fromMs?: number; untilMs?: number } {
  const { from, to } = query;
  if (from !== undefined && to !== undefined && from > to) throw new RelayError("invalid_request", "from: is after to");
  return {
    ...(from === undefined ? {} : { fromMs: dayOfQuery("from", from, localTime).fromMs }),
    ...(to === undefined ? {} : { untilMs: dayOfQuery("to", to, localTime).untilMs }),
  };
}

/** What a query asks for. Throws RelayError `invalid_request` for a range that ends before it begins. */
export function filterOf(query: Static<typeof TransactionFilters>, localTime: LocalTime): MerchantTransactionFilter {
  const { status, method, terminalId, amountMin, amountMax, currency, last4, authCode, q } = query;
  if (amountMin !== undefined && amountMax !== undefined && amountMin > amountMax) {
    throw new RelayError("invalid_request", "amountMin: is more than amountMax");
  }
  return {
    ...rangeOfQuery(query, localTime),
    ...(status === undefined ? {} : { status }),
    ...(method === undefined ? {} : { method }),
    ...(terminalId === undefined ? {} : { terminalId }),
    ...(amountMin === undefined ? {} : { amountMin }),
    ...(amountMax === undefined ? {} : { amountMax }),
    ...(currency === undefined ? {} : { currency }),
    ...(last4 === undefined ? {} : { last4 }),
    ...(authCode === undefined ? {} : { authCode }),
    ...(q === undefined ? {} : { q }),
  };
}

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
