import type { Locale } from "../../../engine/accounts/account.ts";
import { decimalsOf } from "../../../engine/kernel/money.ts";
import { type DeclineWords, declineReasonOf, declineWordsOf } from "../../../engine/payments/declines.ts";
import { type MerchantTransaction, netMinorOf, refundStateOf } from "../../../engine/payments/merchant-transactions.ts";
import type { TransactionMethod } from "../../../engine/payments/transaction.ts";
import { iso } from "../../endpoint/time.ts";
import { METHODS, type TransactionItemJson } from "./transaction-schemas.ts";

/** Returns a transaction as lists show it. */
export function itemOf(found: MerchantTransaction): TransactionItemJson {
  const { transaction, isPayment, refundedMinor } = found;
  const { uuid, createdAtMs, terminalId, method, status, amountCents, currency, card, auth, message } = transaction;
  return {
    uuid,
    createdAt: iso(createdAtMs),
    terminalId,
    method: methodOf(method),
    ...{ status, isPayment, amountMinor: amountCents },
    ...{ refundState: refundStateOf(found), refundedMinor, netMinor: netMinorOf(found), currency },
    brand: card?.brand ?? null,
    last4: last4Of(card?.maskedPan),
    authCode: auth?.authCode ?? null,
    message: message ?? null,
  };
}

export function methodOf(method: TransactionMethod): TransactionItemJson["method"] {
  return METHODS.find((known) => known === method) ?? "UNKNOWN";
}

/** Reads the last four digits from the masked card number, as ClickHouse's column does. */
function last4Of(maskedPan: string | undefined): string | null {
  return /\d{4}$/.exec(maskedPan ?? "")?.[0] ?? null;
}

/** Names the outcome in a file. A refunded payment is not simply approved. */
export function outcomeWord(found: MerchantTransaction): string {
  const state = refundStateOf(found);
  return state === "NONE" ? found.transaction.status : state;
}

/** Explains why a payment was declined; null if it was approved, or if its code is unknown. */
export function declineWords(
  { transaction: { status, auth, message, satispay } }: MerchantTransaction,
  locale: Locale,
): DeclineWords | null {
  if (status !== "KO") return null;
  const reason = declineReasonOf({ actionCode: auth?.actionCode, message, satispayStatus: satispay?.status });
  return reason === null ? null : declineWordsOf(reason, locale);
}

/**
 * Formats an amount in major units with the currency's decimals and a sign if it is negative, such
 * as "-12.34".
 */
export function majorUnits(minor: number, currency: string, point: "." | ","): string {
  const decimals = decimalsOf(currency);
  const digits = String(Math.abs(minor)).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  return `${minor < 0 ? "-" : ""}${whole}${decimals === 0 ? "" : point + digits.slice(-decimals)}`;
}

export const ITEM_EXAMPLE: TransactionItemJson = {
  uuid: "0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10",
  createdAt: "2026-11-25T10:00:00.000Z",
  terminalId: "SIM00001",
  method: "CARD",
  status: "OK",
  isPayment: true,
  amountMinor: 1050,
  refundState: "NONE",
  refundedMinor: 0,
  netMinor: 1050,
  currency: "EUR",
  brand: "VISA",
  last4: "1111",
  authCode: "123456",
  message: null,
};
