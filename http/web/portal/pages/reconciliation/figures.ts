import type { ReconciledDayJson } from "../../../../surfaces/merchant/reconciliation/schemas.ts";

type PaymentLine = ReconciledDayJson["payments"][number];

/** Payments of one method or terminal in one currency. */
export interface Sums {
  key: string;
  approved: number;
  approvedMinor: number;
  declined: number;
  refundedMinor: number;
}

/** Sums up the payments and refunds of a currency by a member of their lines, largest first. */
export function sumsBy(
  { payments, refunded }: Pick<ReconciledDayJson, "payments" | "refunded">,
  currency: string,
  keyOf: (line: PaymentLine) => string,
): Sums[] {
  const sums = new Map<string, Sums>();
  const sumOf = (line: PaymentLine): Sums => {
    const key = keyOf(line);
    const sum = sums.get(key) ?? { key, approved: 0, approvedMinor: 0, declined: 0, refundedMinor: 0 };
    sums.set(key, sum);
    return sum;
  };
  for (const line of payments) {
    if (line.currency !== currency) continue;
    const sum = sumOf(line);
    if (line.status === "OK") {
      sum.approved += line.count;
      sum.approvedMinor += line.amountMinor;
    } else sum.declined += line.count;
  }
  for (const line of refunded) if (line.currency === currency) sumOf(line).refundedMinor += line.amountMinor;
  return [...sums.values()].sort((one, other) => other.approvedMinor - one.approvedMinor || (one.key < other.key ? -1 : 1));
}

/** Returns the currencies of a day in the order of its totals. */
export function currenciesOf({ totals, payments }: Pick<ReconciledDayJson, "totals" | "payments">): string[] {
  return [...new Set([...totals, ...payments].map(({ currency }) => currency))];
}
