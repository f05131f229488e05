import { type Static, Type } from "@sinclair/typebox";
import { type MerchantTransaction, netMinorOf, refundStateOf } from "../../../../engine/payments/merchant-transactions.ts";
import type { TransactionMethod } from "../../../../engine/payments/transaction.ts";
import { iso } from "../../../endpoint/time.ts";
import { RefundStateWord, ResultStatus, words } from "../../parts/schemas.ts";
import { AmountMinor, amountText, nullable, time, written, writtenText } from "./schema-parts.ts";

/** What there is in a merchant's list; scans and prints are no transactions of a shop. */
const METHODS = ["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK", "RECEIPT", "UNKNOWN"] as const;
export const MethodWord = words(METHODS);

export const AgentTransaction = Type.Object({
  uuid: Type.String(),
  createdAt: time("when the relay stored the result."),
  terminalId: Type.String(),
  method: MethodWord,
  status: ResultStatus,
  amountMinor: AmountMinor,
  isPayment: Type.Boolean({ description: "false: it is in no total. A check of a card, or a receipt." }),
  refundState: RefundStateWord,
  refundedMinor: Type.Integer({ description: "What was given back of it until now, in minor units." }),
  netMinor: Type.Integer({ description: "What is left of an approved payment, in minor units; else 0." }),
  currency: Type.String({ maxLength: 255, description: "ISO 4217, as far as the terminal has named one." }),
  brand: written("The card's brand, as the terminal says."),
  last4: nullable(Type.String({ description: "The last digits of the card." })),
  message: written("The terminal's or the gateway's words."),
  amountDiffers: Type.Boolean({ description: "What was paid is not what was asked for." }),
  unsolicited: Type.Boolean({ description: "A terminal has posted a result that nobody had asked it for." }),
});
export type AgentTransactionJson = Static<typeof AgentTransaction>;

export function agentTransaction(found: MerchantTransaction): AgentTransactionJson {
  const { transaction, amountDiffers, unsolicited, isPayment, refundedMinor } = found;
  const { uuid, createdAtMs, terminalId, method, status, amountCents, currency, card, message } = transaction;
  return {
    ...{ uuid, createdAt: iso(createdAtMs), terminalId, method: methodWord(method), status },
    ...{ amountMinor: amountCents, isPayment, refundState: refundStateOf(found), refundedMinor, netMinor: netMinorOf(found) },
    currency: writtenText(currency) ?? "",
    brand: writtenText(card?.brand),
    // As lists show it: four digits at the end.
    last4: /\d{4}$/.exec(card?.maskedPan ?? "")?.[0] ?? null,
    message: writtenText(message),
    ...{ amountDiffers, unsolicited },
  };
}

export function methodWord(method: TransactionMethod): AgentTransactionJson["method"] {
  return METHODS.find((known) => known === method) ?? "UNKNOWN";
}

export function transactionLine(item: AgentTransactionJson): string {
  const { uuid, status, method, amountMinor, refundedMinor, currency, createdAt } = item;
  const refunded = refundedMinor === 0 ? "" : `, ${amountText(refundedMinor, currency)} refunded`;
  return `${uuid} ${status} ${method} ${amountText(amountMinor, currency)}${refunded}, ${createdAt}`;
}
