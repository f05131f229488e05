import type { ReconciledDayJson, ReconciliationItemJson } from "../../../../http/surfaces/merchant/reconciliation/schemas.ts";
import type { FakeHandler } from "./fake-relay.ts";

const EUR = { currency: "EUR", approved: 41, approvedMinor: 123_050, declined: 3, refunds: 1, refundedMinor: 1_050, netMinor: 122_000 };
const CHF = { currency: "CHF", approved: 2, approvedMinor: 9_000, declined: 0, refunds: 0, refundedMinor: 0, netMinor: 9_000 };
const UUIDS = ["0b0fcb6e-5d0f-4b8a-9d53-1d8a4f6a2f10", "6f1c2e7a-8f7b-4d0e-9b61-2f0a54a7d3c1"] as const;

export function dayOf(changes: Partial<ReconciledDayJson> = {}): ReconciledDayJson {
  return {
    ...{ day: "2026-11-23", timeZone: "Europe/Rome", from: "2026-11-22T23:00:00.000Z", until: "2026-11-23T23:00:00.000Z" },
    ...{ closedAt: "2026-11-25T02:00:01.000Z", totals: [EUR, CHF] },
    payments: [
      { terminalId: "SIM00001", method: "CARD", status: "OK", currency: "EUR", count: 30, amountMinor: 100_000 },
      { terminalId: "SIM00001", method: "CARD", status: "KO", currency: "EUR", count: 3, amountMinor: 4_500 },
      { terminalId: "SIM00002", method: "CARD", status: "OK", currency: "EUR", count: 8, amountMinor: 20_000 },
      { terminalId: "SIM00002", method: "PAYBYLINK", status: "OK", currency: "EUR", count: 3, amountMinor: 3_050 },
      { terminalId: "SIM00001", method: "CARD", status: "OK", currency: "CHF", count: 2, amountMinor: 9_000 },
    ],
    refunded: [{ terminalId: "SIM00002", method: "PAYBYLINK", status: "OK", currency: "EUR", count: 1, amountMinor: 1_050 }],
    links: [
      { state: "PAID", currency: "EUR", count: 2, amountMinor: 7_050 },
      { state: "PENDING", currency: "EUR", count: 1, amountMinor: 1_000 },
    ],
    refunds: [
      { state: "done", currency: "EUR", count: 1, amountMinor: 1_050 },
      { state: "unknown", currency: "EUR", count: 1, amountMinor: 900 },
    ],
    unknown: { count: 1, items: [{ uuid: UUIDS[0], terminalId: "SIM00001" }] },
    conflicting: { count: 102, items: [{ uuid: UUIDS[1], terminalId: "SIM00002" }] },
    corrections: {
      count: 3,
      items: [
        {
          ...{ of: "payments", at: "2026-11-26T02:00:00.000Z", terminalId: "SIM00001", method: "CARD", status: "OK", state: null },
          ...{ currency: "EUR", uuid: null, before: { count: 30, amountMinor: 100_000 }, after: { count: 31, amountMinor: 101_050 } },
        },
        {
          ...{ of: "refunds", at: "2026-11-26T02:00:00.000Z", terminalId: null, method: null, status: null, state: "done" },
          ...{ currency: "EUR", uuid: null, before: { count: 1, amountMinor: 1_050 }, after: { count: 2, amountMinor: 1_950 } },
        },
        {
          ...{ of: "unknown", at: "2026-11-27T02:00:00.000Z", terminalId: "SIM00001", method: null, status: null, state: null },
          ...{ currency: null, uuid: UUIDS[0], before: { count: 1, amountMinor: 0 }, after: { count: 0, amountMinor: 0 } },
        },
      ],
    },
    ...changes,
  };
}

const NONE = { count: 0, items: [] };

/** A day with everything, a plain one, one with too many terminals, and one on which only a link was made. */
export const DAYS = {
  full: dayOf(),
  plain: dayOf({ ...{ day: "2026-11-22", totals: [EUR], unknown: NONE, conflicting: NONE, corrections: NONE, links: [], refunds: [] } }),
  many: dayOf({
    ...{ day: "2026-11-21", totals: [EUR], unknown: NONE, conflicting: NONE, corrections: NONE },
    payments: [{ terminalId: null, method: "CARD", status: "OK", currency: "EUR", count: 41, amountMinor: 123_050 }],
    refunded: [{ terminalId: null, method: "PAYBYLINK", status: "OK", currency: "EUR", count: 1, amountMinor: 1_050 }],
  }),
  linkOnly: dayOf({
    ...{ day: "2026-11-20", totals: [], payments: [], refunded: [], refunds: [], unknown: NONE, conflicting: NONE, corrections: NONE },
    links: [{ state: "EXPIRED", currency: "EUR", count: 1, amountMinor: 1_000 }],
  }),
} as const;

export function itemOf({ day, closedAt, totals, unknown, conflicting, corrections }: ReconciledDayJson): ReconciliationItemJson {
  return { day, closedAt, totals, unknown: unknown.count, conflicting: conflicting.count, corrections: corrections.count };
}

/** A day on which nothing happened. */
const EMPTY_DAY: ReconciliationItemJson = { day: "2026-11-24", closedAt: null, totals: [], unknown: 0, conflicting: 0, corrections: 0 };

/** What the page of reconciliation asks. */
export const RECONCILIATION_HANDLERS: Readonly<Record<string, FakeHandler>> = {
  "GET /reconciliation": ({ query }) => {
    const empty = query.get("activeOnly") === "true" ? [] : [EMPTY_DAY];
    return { data: { items: [...empty, ...Object.values(DAYS).map(itemOf)], next: null } };
  },
  "GET /reconciliation/*": ({ path }) => {
    const day = Object.values(DAYS).find((one) => path.endsWith(one.day));
    if (day !== undefined) return { data: day };
    return path.endsWith("2026-11-25") ? { status: 409, code: "not_closed" } : { status: 404, code: "not_found" };
  },
};
