import type { OverviewJson } from "../../../../surfaces/merchant/overview-schemas.ts";

export type SumsJson = OverviewJson["today"][number];

/** Returns the currencies of a day, most payments first. */
export function currenciesOf({ today, before }: Pick<OverviewJson, "today" | "before">): string[] {
  const counts = new Map<string, number>();
  for (const { currency, approved, declined } of [...today, ...before]) {
    counts.set(currency, (counts.get(currency) ?? 0) + approved + declined);
  }
  return [...counts].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1)).map(([currency]) => currency);
}

export function sumsIn(currency: string, sums: readonly SumsJson[]): SumsJson {
  return sums.find((one) => one.currency === currency) ?? { currency, volumeMinor: 0, approved: 0, declined: 0 };
}

/** Null if no payment was approved or declined. */
export function approvalRate({ approved, declined }: SumsJson): number | null {
  return approved + declined === 0 ? null : approved / (approved + declined);
}

/** The average of an approved payment in minor units; null if there is none. */
export function averageMinor({ volumeMinor, approved }: SumsJson): number | null {
  return approved === 0 ? null : Math.round(volumeMinor / approved);
}
