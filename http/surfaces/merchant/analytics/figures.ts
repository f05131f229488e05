import type { LinkSums, PaymentSums } from "../../../../engine/reports/merchant-reports.ts";

/** Returns null if there is nothing to divide by. */
export function rateOf(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}

/** Returns payment figures with the member names of the overview. */
export function sumsJson({ volumeMinor, approved, declined }: PaymentSums) {
  return {
    volumeMinor,
    approved,
    declined,
    approvalRate: rateOf(approved, approved + declined),
    averageTicketMinor: approved === 0 ? null : Math.round(volumeMinor / approved),
  };
}

export function linkSumsJson({ created, createdMinor, paid, paidMinor, cancelled, expired }: LinkSums) {
  return { created, createdMinor, paid, paidMinor, cancelled, expired, conversionRate: rateOf(paid, paid + expired + cancelled) };
}
