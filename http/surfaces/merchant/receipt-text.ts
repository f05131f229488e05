import { type Slip, slipOf } from "../../../engine/payments/slip.ts";
import type { Transaction } from "../../../engine/payments/transaction.ts";

/** Returns the copies of the slip that the terminal sent, as texts; null for a missing copy. */
export function receiptTexts({ receipt }: Transaction): { [Copy in keyof Slip]: string | null } {
  const { customer, merchant } = slipOf(receipt);
  return { customer: textOf(customer), merchant: textOf(merchant) };
}

function textOf(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.join("\n");
}
