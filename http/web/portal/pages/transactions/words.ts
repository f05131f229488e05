import type { DeclineFacts } from "../../../../../engine/payments/declines.ts";
import { BY_CREATION_AND_AMOUNT } from "../../../../surfaces/merchant/sorts.ts";
import type { TransactionDetailJson, TransactionItemJson } from "../../../../surfaces/merchant/transaction-schemas.ts";
import { text } from "../../i18n/texts.ts";
import type { ListDeclaration } from "../../list/declaration.ts";

/** A shorter search would find too much. */
export const Q_LENGTH_MIN = 4;

const AMOUNT = { type: "text", pattern: "^\\d{1,12}$" } as const;

export const TRANSACTION_LIST = {
  page: "transactions",
  path: "/transactions",
  sorts: BY_CREATION_AND_AMOUNT,
  filters: {
    from: { type: "day" },
    to: { type: "day" },
    status: { type: "word", words: ["OK", "KO"] },
    refundState: { type: "word", words: ["NONE", "PARTLY_REFUNDED", "REFUNDED", "ANY"] },
    isPayment: { type: "word", words: ["true", "false"] },
    method: { type: "text" },
    terminalId: { type: "text" },
    amountMin: AMOUNT,
    amountMax: AMOUNT,
    currency: { type: "text", pattern: "^[A-Z]{3}$" },
    last4: { type: "text", pattern: "^\\d{4}$" },
    authCode: { type: "text" },
    q: { type: "text", minLength: Q_LENGTH_MIN, maxLength: 64 },
  },
} as const satisfies ListDeclaration;

export function methodName(method: TransactionItemJson["method"]): string {
  return text().methods[method];
}

export function declineFactsOf({ actionCode, message, satispay }: TransactionDetailJson): DeclineFacts {
  return { actionCode, message, satispayStatus: satispay?.status };
}
