import type {
  AgentsReportJson,
  DisputesReportJson,
  Granularity,
  HeatmapReportJson,
  LinksReportJson,
  MethodsReportJson,
  PaymentsReportJson,
  SubscriptionsReportJson,
  TerminalsReportJson,
} from "../../../../http/surfaces/merchant/analytics/schemas.ts";
import type { FakeAnswer, FakeHandler, FakeRequest } from "./fake-relay.ts";

const DAY_MS = 86_400_000;

const dayAfter = (day: string, days: number) => new Date(Date.parse(`${day}T12:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
const daysFrom = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

interface Point {
  start: string;
  end: string;
  from: string;
  to: string;
}

/** The intervals of a period, as the interface cuts it: Mondays and firsts are not looked for, so a week begins with the period. */
function pointsOf(from: string, to: string, granularity: Granularity): Point[] {
  const days = daysFrom(from, to);
  const at = (day: string, hour: number) => `${day}T${String(hour).padStart(2, "0")}:00:00.000+01:00`;
  if (granularity === "hour") {
    return Array.from({ length: days * 24 }, (_, index) => {
      const day = dayAfter(from, Math.floor(index / 24));
      return { start: at(day, index % 24), end: at(dayAfter(from, Math.floor((index + 1) / 24)), (index + 1) % 24), from: day, to: day };
    });
  }
  const step = { day: 1, week: 7, month: 30 }[granularity];
  return Array.from({ length: Math.ceil(days / step) }, (_, index) => {
    const first = dayAfter(from, index * step);
    const last = [dayAfter(first, step - 1), to].sort()[0] ?? to;
    return { start: at(first, 0), end: at(dayAfter(last, 1), 0), from: first, to: last };
  });
}

function granularityOf({ query }: FakeRequest, days: number): Granularity {
  const asked = query.get("granularity");
  if (asked === "hour" || asked === "day" || asked === "week" || asked === "month") return asked;
  return days <= 2 ? "hour" : days <= 62 ? "day" : days <= 190 ? "week" : "month";
}

/** A figure that goes up and down in the same way at each run. */
const wave = (index: number, size: number) => Math.round(size * (1 + Math.sin(index * 0.9) / 2 + (index % 7) / 20));

type Members<Figures> = {
  from: string;
  to: string;
  granularity: Granularity;
  series: (Point & { figures: Figures[] })[];
  totals: Figures[];
};

/** A report over the days that are asked for, and over as many before where it is to be compared. */
function reportOf<Figures>(
  request: FakeRequest,
  figuresAt: (index: number, before: boolean) => Figures[],
  totals: (before: boolean) => Figures[],
) {
  const from = request.query.get("from") ?? "2026-11-01";
  const to = request.query.get("to") ?? "2026-11-30";
  const days = daysFrom(from, to);
  const granularity = granularityOf(request, days);
  const of = (first: string, last: string, before: boolean): Members<Figures> => ({
    ...{ from: first, to: last, granularity, totals: totals(before) },
    series: pointsOf(first, last, granularity).map((point, index) => ({ ...point, figures: figuresAt(index, before) })),
  });
  const compare = request.query.get("compare");
  const shift = compare === "year" ? -365 : -days;
  return {
    ...of(from, to, false),
    previous: compare === null || compare === "none" ? null : of(dayAfter(from, shift), dayAfter(to, shift), true),
    ...{ timeZone: "Europe/Rome", asOf: "2026-11-25T12:00:00.000Z", definitions: {} },
  };
}

const rateOf = (part: number, whole: number) => (whole === 0 ? null : part / whole);

function sums(volumeMinor: number, approved: number, declined: number) {
  return {
    ...{ volumeMinor, approved, declined, approvalRate: rateOf(approved, approved + declined) },
    averageTicketMinor: approved === 0 ? null : Math.round(volumeMinor / approved),
  };
}

const paymentFigures = (
  currency: string,
  volumeMinor: number,
  approved: number,
  declined: number,
  refunds: number,
  refundedMinor: number,
) => ({
  ...{ currency, ...sums(volumeMinor, approved, declined), refunds, refundedMinor, netMinor: volumeMinor - refundedMinor },
});

export function paymentsReport(request: FakeRequest): PaymentsReportJson {
  return reportOf(
    request,
    (index, before) => [paymentFigures("EUR", wave(index, before ? 61_000 : 68_000), wave(index, 24), index % 3, 0, 0)],
    (before) => [before ? paymentFigures("EUR", 2_010_000, 810, 31, 6, 40_000) : paymentFigures("EUR", 2_250_000, 900, 45, 4, 22_500)],
  );
}

/** The same with francs, which are fewer. */
export function twoCurrencies(request: FakeRequest): PaymentsReportJson {
  const francs = (before: boolean) => paymentFigures("CHF", before ? 51_000 : 48_000, 12, 1, 0, 0);
  const report = paymentsReport(request);
  const also = (period: Members<PaymentsReportJson["totals"][number]>, before: boolean) => ({
    ...period,
    series: period.series.map((point) => ({ ...point, figures: [francs(before), ...point.figures] })),
    totals: [francs(before), ...period.totals],
  });
  return { ...report, ...also(report, false), previous: report.previous && also(report.previous, true) };
}

export function noPayments(request: FakeRequest): PaymentsReportJson {
  return reportOf<PaymentsReportJson["totals"][number]>(
    request,
    () => [],
    () => [],
  );
}

/** Payments of a shop that opened shortly before the period: the earlier one has three days only. */
export function newShopPayments(request: FakeRequest): PaymentsReportJson {
  const report = paymentsReport(request);
  if (report.previous === null) return report;
  const series = report.previous.series.map((point, index, all) => (index < all.length - 3 ? { ...point, figures: [] } : point));
  return { ...report, previous: { ...report.previous, series } };
}

export function heatmapReport(request: FakeRequest): HeatmapReportJson {
  const cells = [1, 2, 3, 4, 5, 6, 7].flatMap((weekday) =>
    Array.from({ length: 24 }, (_, hour) => {
      const approved = hour < 8 || hour > 20 || weekday === 7 ? 0 : wave(weekday * 5 + hour, weekday === 6 ? 40 : 16);
      const figures = approved === 0 ? [] : [{ currency: "EUR", ...sums(approved * 2_450, approved, approved % 3) }];
      return { weekday, hour, days: 4, figures };
    }),
  );
  const { query } = request;
  return {
    ...{
      from: query.get("from") ?? "",
      to: query.get("to") ?? "",
      series: cells,
      totals: [{ currency: "EUR", ...sums(2_250_000, 900, 45) }],
    },
    ...{ previous: null, timeZone: "Europe/Rome", asOf: "2026-11-25T12:00:00.000Z", definitions: {} },
  };
}

const METHODS = [
  ["CARD", 1_500_000, 600, 41],
  ["SATISPAY", 450_000, 210, 2],
  ["PAYBYLINK", 210_000, 60, 2],
  ["VOUCHER", 90_000, 30, 0],
] as const;
const methodFigures = (volumeMinor: number, approved: number, declined: number) => ({
  ...{ currency: "EUR", ...sums(volumeMinor, approved, declined), share: volumeMinor / 2_250_000 },
});

export function methodsReport(request: FakeRequest): MethodsReportJson {
  const totals = () => METHODS.map(([method, volume, approved, declined]) => ({ method, ...methodFigures(volume, approved, declined) }));
  const base = reportOf(
    request,
    (index) => METHODS.map(([method, volume]) => ({ method, ...methodFigures(wave(index, volume / 30), wave(index, 10), 1) })),
    totals,
  );
  const more = {
    brands: [
      { brand: "VISA", ...methodFigures(900_000, 360, 22) },
      { brand: "MASTERCARD", ...methodFigures(480_000, 190, 15) },
      { brand: "", ...methodFigures(120_000, 50, 4) },
    ],
    entries: [
      { entry: "NFC", ...methodFigures(1_200_000, 510, 30) },
      { entry: "ICC", ...methodFigures(270_000, 80, 10) },
      { entry: "MAN", ...methodFigures(30_000, 10, 1) },
    ],
    declines: [
      { currency: "EUR", actionCode: "116", message: "Insufficient funds", declined: 27, declinedMinor: 91_200 },
      { currency: "EUR", actionCode: "101", message: "", declined: 9, declinedMinor: 20_050 },
      {
        ...{ currency: "EUR", actionCode: "", declined: 5, declinedMinor: 9_000 },
        message: "A rather long message of the acquirer, which has no room in one line of a narrow telephone",
      },
      { currency: "EUR", actionCode: "", message: "", declined: 4, declinedMinor: 6_400 },
    ],
  };
  return { ...base, ...more, previous: base.previous && { ...base.previous, ...more } };
}

export function terminalsReport(request: FakeRequest): TerminalsReportJson {
  const base = reportOf(
    request,
    (index) => [{ currency: "EUR", ...sums(wave(index, 68_000), wave(index, 24), 1) }],
    () => [{ currency: "EUR", ...sums(2_250_000, 900, 45) }],
  );
  const terminals = [
    { terminalId: "SIM00001", currency: "EUR", ...sums(1_500_000, 600, 41), lastAt: "2026-11-25T11:55:00.000Z" },
    { terminalId: "SIM00002", currency: "EUR", ...sums(540_000, 240, 2), lastAt: "2026-11-25T11:40:00.000Z" },
    { terminalId: "A-TERMINAL-WITH-A-LONG-NAME-02", currency: "EUR", ...sums(0, 0, 2), lastAt: "2026-11-20T09:00:00.000Z" },
  ];
  const active = (count: number) => (period: typeof base | NonNullable<(typeof base)["previous"]>) => ({
    ...period,
    ...{
      activeTerminals: count,
      terminals,
      series: period.series.map((point, index) => ({ ...point, activeTerminals: 1 + (index % count) })),
    },
  });
  return { ...base, ...active(3)(base), previous: base.previous && active(2)(base.previous) };
}

const linkSums = (created: number, paid: number, cancelled: number, expired: number) => ({
  ...{ currency: "EUR", created, createdMinor: created * 4_900, paid, paidMinor: paid * 4_900, cancelled, expired },
  conversionRate: rateOf(paid, paid + cancelled + expired),
});

export function linksReport(request: FakeRequest): LinksReportJson {
  const figures = (created: number, paid: number, cancelled: number, expired: number) => ({
    ...linkSums(created, paid, cancelled, expired),
    ...{ late: 1, pending: created - paid - cancelled - expired, medianMinutesToPay: paid === 0 ? null : 94.5 },
  });
  const base = reportOf(
    request,
    (index) => [figures(6, 1 + (index % 4), index % 2, index % 3 === 0 ? 1 : 0)],
    (before) => [before ? figures(88, 51, 9, 20) : figures(120, 78, 8, 22)],
  );
  const creators = [
    { creator: "user", ...linkSums(60, 40, 4, 12) },
    { creator: "key", ...linkSums(40, 28, 4, 6) },
    { creator: "agent", ...linkSums(20, 10, 0, 4) },
  ];
  return { ...base, creators, previous: base.previous && { ...base.previous, creators } };
}

export function disputesReport(request: FakeRequest): DisputesReportJson {
  const outcomes = (received: number, won: number, lost: number, expired: number) => ({
    ...{ currency: "EUR", received, receivedMinor: received * 8_100, won, lost, expired, winRate: rateOf(won, won + lost + expired) },
  });
  const figures = (received: number, won: number, lost: number, expired: number, cardPayments: number) => ({
    ...outcomes(received, won, lost, expired),
    ...{ cardPayments, cardVolumeMinor: cardPayments * 2_500, rate: rateOf(received, cardPayments) },
    amountRate: rateOf(received * 8_100, cardPayments * 2_500),
    ...{ alerts: 9, alertsMinor: 61_000, alertsRefunded: 4, alertsPrevented: 2, alertsDeclined: 2, alertsInvalid: 1, alertsEscalated: 1 },
    preventionRate: 6 / 8,
  });
  const base = reportOf(
    request,
    (index) => [figures(index % 5 === 0 ? 1 : 0, 0, 0, 0, 150)],
    (before) => [before ? figures(9, 3, 4, 1, 4_100) : figures(6, 3, 1, 0, 4_500)],
  );
  const categories = [
    { category: "FRAUD", ...outcomes(3, 1, 1, 0) },
    { category: "NOT_RECEIVED", ...outcomes(2, 2, 0, 0) },
    { category: "CANCELLED_RECURRING", ...outcomes(1, 0, 0, 0) },
  ];
  return { ...base, categories, previous: base.previous && { ...base.previous, categories } };
}

export function subscriptionsReport(request: FakeRequest): SubscriptionsReportJson {
  const figures = (active: number, activeBefore: number, started: number, gone: number, unpaid: number) => ({
    ...{ currency: "EUR", active, mrrMinor: active * 2_900, activeBefore, mrrBeforeMinor: activeBefore * 2_900 },
    ...{ started, startedMrrMinor: started * 2_900 },
    ...{ churnedVoluntary: gone, churnedVoluntaryMrrMinor: gone * 2_900, voluntaryChurnRate: rateOf(gone, activeBefore) },
    ...{ churnedDunning: unpaid, churnedDunningMrrMinor: unpaid * 2_900, dunningChurnRate: rateOf(unpaid, activeBefore) },
    ...{ failedCycles: 12, recoveredCycles: 9, recoveryRate: 0.75, medianDaysToRecover: 2.5 },
  });
  return reportOf(
    request,
    (index, before) => [figures((before ? 180 : 205) + index, 200 + index, index % 4, index % 3 === 0 ? 1 : 0, index % 8 === 0 ? 1 : 0)],
    (before) => [before ? figures(205, 190, 24, 6, 3) : figures(228, 205, 31, 5, 3)],
  );
}

export function agentsReport(request: FakeRequest): AgentsReportJson {
  const base = reportOf(
    request,
    (index) => [linkSums(4, 1 + (index % 3), 0, 1)],
    (before) => [before ? linkSums(21, 12, 1, 3) : linkSums(40, 26, 0, 9)],
  );
  const credentials = [
    { credentialId: "ac_1a2b3c4d5e6f7g8h9i0j1k2l", ...linkSums(30, 20, 0, 6) },
    { credentialId: "ac_2a2b3c4d5e6f7g8h9i0j1k2l", ...linkSums(10, 6, 0, 3) },
  ];
  return {
    ...base,
    credentials,
    previous: base.previous && { ...base.previous, credentials },
    refusals: [
      { credentialId: "ac_1a2b3c4d5e6f7g8h9i0j1k2l", name: "Phone orders", limit: "perDay", refused: 7 },
      { credentialId: "ac_1a2b3c4d5e6f7g8h9i0j1k2l", name: "Phone orders", limit: "linksPerHour", refused: 2 },
    ],
  };
}

const answered =
  (report: (request: FakeRequest) => unknown) =>
  (request: FakeRequest): FakeAnswer => ({ data: report(request) });

export const REPORT_HANDLERS: Readonly<Record<string, FakeHandler>> = {
  "GET /analytics/payments": answered(paymentsReport),
  "GET /analytics/heatmap": answered(heatmapReport),
  "GET /analytics/methods": answered(methodsReport),
  "GET /analytics/terminals": answered(terminalsReport),
  "GET /analytics/links": answered(linksReport),
  "GET /analytics/disputes": answered(disputesReport),
  "GET /analytics/subscriptions": answered(subscriptionsReport),
  "GET /analytics/agents": answered(agentsReport),
};
