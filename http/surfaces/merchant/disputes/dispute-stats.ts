import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { MerchantDay } from "../../../../engine/payments/merchant-transactions.ts";
import { ok, okOf } from "../envelope.ts";
import { MERCHANT_BASE, merchantOwnerOf, PORTAL_RATE } from "../surface.ts";
import { DisputeStats, type DisputeStatsJson } from "./schemas.ts";
import { disputes } from "./surface.ts";

/** The length of `YYYY-MM` in `YYYY-MM-DD`. */
const MONTH_LENGTH = 7;

const EXAMPLE: DisputeStatsJson = {
  counts: { OPEN: 1, WON: 3, LOST: 1 },
  amounts: [{ status: "OPEN", currency: "EUR", amountMinor: 1050 }],
  dueSoon: 1,
  winRate: 0.75,
  escalated: 1,
  month: {
    month: "2026-11",
    count: 2,
    cardPayments: 4000,
    rate: 0.0005,
    amounts: [{ currency: "EUR", amountMinor: 2100, cardVolumeMinor: 4200000, rate: 0.0005 }],
  },
  complete: true,
  alerts: {
    counts: { PENDING: 1, REFUNDED: 4, DECLINED: 1 },
    amounts: [{ state: "PENDING", currency: "EUR", amountMinor: 1050 }],
    preventionRate: 0.8,
    dueSoon: 1,
    complete: true,
  },
};

export const showDisputeStats = disputes.endpoint({
  name: "disputeStats",
  method: "GET",
  path: `${MERCHANT_BASE}/disputes/stats`,
  summary: "Get the statistics of disputes",
  description:
    "Returns figures about all stored disputes and alerts, and compares this month's disputes with its approved card payments. If the card payments cannot be read at the moment, `cardPayments`, `cardVolumeMinor` and the rates are null. The other figures are still correct.",
  auth: "merchantUserOrKey",
  may: "look",
  rateLimit: PORTAL_RATE,
  refusesUnknown: "rows",
  responses: {
    200: { description: "The figures.", body: okOf(DisputeStats), example: { status: "ok", data: EXAMPLE } },
    ...disputes.errors(401, 403, 429, 503),
  },
  handle: async (operations, { caller, request }) => {
    const owner = merchantOwnerOf(caller);
    const { localTime, clock, merchantTransactions } = operations;
    const month = localTime.dayOf(clock.nowMs()).slice(0, MONTH_LENGTH);
    const { fromMs, beforeMs } = boundsOf(month, localTime.dayRange);
    const [stats, alerts, card] = await Promise.all([
      operations.disputes.stats(owner, { fromMs, beforeMs }),
      operations.alerts.stats(owner),
      cardPayments(() => merchantTransactions.sums(owner.merchantId, { fromMs, untilMs: beforeMs }, request.gone)),
    ]);
    const { counts, amountsMinor, dueSoon, winRate, escalated, complete } = stats;
    const paid = card === null ? null : card.reduce((sum, { approved }) => sum + approved, 0);
    const data: DisputeStatsJson = {
      ...{
        counts: { ...counts },
        amounts: amountsOf(amountsMinor).map(({ word: status, ...amount }) => ({ status, ...amount })),
        dueSoon,
        winRate,
        escalated,
        complete,
      },
      month: {
        ...{ month, count: stats.month.count, cardPayments: paid, rate: rateOf(stats.month.count, paid) },
        amounts: Object.entries(stats.month.amountsMinor).map(([currency, amountMinor]) => {
          const cardVolumeMinor = card === null ? null : (card.find((one) => one.currency === currency)?.volumeMinor ?? 0);
          return { currency, amountMinor, cardVolumeMinor, rate: rateOf(amountMinor, cardVolumeMinor) };
        }),
      },
      alerts: {
        counts: { ...alerts.counts },
        amounts: amountsOf(alerts.amountsMinor).map(({ word: state, ...amount }) => ({ state, ...amount })),
        ...{ preventionRate: alerts.preventionRate, dueSoon: alerts.dueSoon, complete: alerts.complete },
      },
    };
    return { status: 200, body: ok(data) };
  },
});

/**
 * Returns the approved card payments by currency, or null if ClickHouse does not respond. The
 * disputes come from the store and are shown without them.
 */
async function cardPayments(read: () => Promise<MerchantDay>): Promise<MerchantDay["byMethod"] | null> {
  try {
    return (await read()).byMethod.filter(({ method }) => method === "CARD");
  } catch (error) {
    if (error instanceof RelayError && (error.code === "unavailable" || error.code === "too_busy")) return null;
    throw error;
  }
}

function boundsOf(
  month: string,
  dayRange: (day: string) => { fromMs: number; untilMs: number } | null,
): { fromMs: number; beforeMs: number } {
  const [year = 0, ordinal = 0] = month.split("-").map(Number);
  const next = ordinal === 12 ? `${year + 1}-01` : `${year}-${String(ordinal + 1).padStart(2, "0")}`;
  const [first, behind] = [dayRange(`${month}-01`), dayRange(`${next}-01`)];
  if (first === null || behind === null) throw new Error(`the month ${month} has no first day`);
  return { fromMs: first.fromMs, beforeMs: behind.fromMs };
}

function rateOf(part: number, whole: number | null): number | null {
  return whole === null || whole === 0 ? null : part / whole;
}

function amountsOf(amounts: { readonly [word: string]: { readonly [currency: string]: number } }) {
  return Object.entries(amounts).flatMap(([word, byCurrency]) =>
    Object.entries(byCurrency).map(([currency, amountMinor]) => ({ word, currency, amountMinor })),
  );
}
