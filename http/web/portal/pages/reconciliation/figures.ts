import type { ReconciledDayJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";

type PaymentLine = ReconciledDayJson["payments"][number];

/** Payments of one method or terminal, in one currency. */
export interface Sums {
  key: string;
  approved: number;
  approvedMinor: number;
  declined: number;
}

/** The lines of a currency, summed up by a member of theirs; the most first. */
export function sumsBy(lines: readonly PaymentLine[], currency: string, keyOf: (line: PaymentLine) => string): Sums[] {
  const sums = new Map<string, Sums>();
  for (const line of lines) {
    if (line.currency !== currency) continue;
    const key = keyOf(line);
    const sum = sums.get(key) ?? { key, approved: 0, approvedMinor: 0, declined: 0 };
    sums.set(key, sum);
    if (line.status === "OK") {
      sum.approved += line.count;
      sum.approvedMinor += line.amountMinor;
    } else sum.declined += line.count;
  }
  return [...sums.values()].sort((one, other) => other.approvedMinor - one.approvedMinor || (one.key < other.key ? -1 : 1));
}

/** Every currency of a day, in the order of its totals. */
export function currenciesOf({ totals, payments }: Pick<ReconciledDayJson, "totals" | "payments">): string[] {
  return [...new Set([...totals, ...payments].map(({ currency }) => currency))];
}
