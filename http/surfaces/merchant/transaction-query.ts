import { type Static, Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantTransactionFilter } from "../../../engine/payments/merchant-transactions.ts";
import type { LocalTime } from "../parts/time.ts";
import { rangeOfQuery } from "../parts/time.ts";
import { TRANSACTION_FILTERS } from "./transaction-schemas.ts";

export { dayOfQuery, rangeOfQuery } from "../parts/time.ts";
export { cursorOf, damagedCursor, readCursor } from "../parts/transaction-cursor.ts";

export const TransactionFilters = Type.Object(TRANSACTION_FILTERS);

/** Reads a query. Throws RelayError `invalid_request` for a range that ends before it begins. */
export function filterOf(query: Static<typeof TransactionFilters>, localTime: LocalTime): MerchantTransactionFilter {
  const { status, refundState, isPayment, method, terminalId, amountMin, amountMax, currency, last4, authCode, q } = query;
  if (amountMin !== undefined && amountMax !== undefined && amountMin > amountMax) {
    throw new RelayError("invalid_request", "amountMin: is more than amountMax");
  }
  return {
    ...rangeOfQuery(query, localTime),
    ...(status === undefined ? {} : { status }),
    ...(refundState === undefined ? {} : { refundState }),
    ...(isPayment ? {} : { results: "others" as const }),
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
