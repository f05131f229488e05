import type { Transaction } from "../../../engine/payments/transaction.ts";

/** The receipt that the terminal sent, as text; null where it sent none, or one that is no text (engine/payments/result-members.ts: `text`, `items`). */
export function receiptText({ receipt }: Transaction): string | null {
  if (receipt === undefined) return null;
  const { text, items } = receipt;
  if (typeof text === "string" && text !== "") return text;
  if (!Array.isArray(items)) return null;
  const lines = items.filter((item) => typeof item === "string");
  return lines.length === 0 ? null : lines.join("\n");
}
