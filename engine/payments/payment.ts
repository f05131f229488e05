import type { PaymentService } from "./command.ts";
import type { TransactionRow } from "./feed-row.ts";
import type { TransactionMethod } from "./transaction.ts";

/** Services that charge somebody. VERIFYTAG checks a card without a charge. */
const CHARGING_SERVICES: ReadonlySet<string> = new Set<PaymentService>(["PAYCC", "PAYTAG", "PAYBP", "PAYSAT"]);

/** Methods by which something is paid. */
export const PAYMENT_METHODS: ReadonlySet<TransactionMethod> = new Set(["CARD", "SATISPAY", "VOUCHER", "PAYBYLINK"]);

/**
 * Says whether a stored result is that of a payment: the one definition for lists, sums, reports, closed days and SQL (the column `is_payment`). The service of the command
 * decides, whatever method the result names. A result without a command, and that of a payment link, has only its method.
 */
export function isPayment({ kind, life, transaction }: Pick<TransactionRow, "kind" | "life" | "transaction">): boolean {
  if (kind === null) return PAYMENT_METHODS.has(transaction.method);
  // Rows of 0.1.0 do not name the service.
  return life === undefined ? kind === "payment" : CHARGING_SERVICES.has(life.service);
}
