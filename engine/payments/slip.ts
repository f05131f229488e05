import type { FreeForm } from "./transaction.ts";

/** The copies of a slip as lines without line ends; a copy that the terminal did not send is empty. */
export interface Slip {
  customer: readonly string[];
  merchant: readonly string[];
}

/**
 * Reads the slip from the receipt of a result (infra/docs/results.md). Each copy is a text or a list of lines; entries of a list that are no texts are skipped. A
 * receipt without either, such as the members of a fiscal receipt, has no slip.
 */
export function slipOf(receipt: FreeForm | undefined): Slip {
  const { text, lines, items, merchantText, merchantLines } = receipt ?? {};
  return { customer: linesOf([lines, text, items]), merchant: linesOf([merchantLines, merchantText]) };
}

/** The lines of the first form that has any. */
function linesOf(forms: readonly unknown[]): readonly string[] {
  for (const form of forms) {
    const parts: readonly unknown[] = Array.isArray(form) ? form : [form];
    const texts = parts.filter((part) => typeof part === "string");
    if (texts.some((text) => text !== "")) return texts.flatMap((text) => text.split(/\r\n|\r|\n/));
  }
  return [];
}
