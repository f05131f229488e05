import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { REPORT_CURRENCIES_MAX, REPORT_LINES_MAX } from "../../../../engine/reports/merchant-reports.ts";
import { words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { Currency, Day, nullable, time } from "../schema-parts.ts";
import { Method } from "../transaction-schemas.ts";
import { AGENTS, DISPUTES, HEATMAP, LINKS, METHOD_SUMS, PAYMENTS, SUBSCRIPTIONS, TERMINALS } from "./definitions.ts";

/**
 * The JSON of the reports: endpoints declare it, pages take their types from it. Each figure is of one currency. A point has the figures of all currencies of `totals`, in
 * their order, and zeros where it has nothing of one.
 */

export const GRANULARITIES = ["hour", "day", "week", "month"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const COMPARISONS = ["none", "previous", "year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const REPORT_DAYS_MAX = 400;
export const HOURLY_DAYS_MAX = 7;

const GranularityWord = words(GRANULARITIES, {
  title: "ReportGranularity",
  description: `Of the series; hours of at most ${HOURLY_DAYS_MAX} days. Weeks begin on Monday; the first and the last one, and the first and the last month, are those days of it that were asked for. Default: hours up to two days, days up to 62, weeks up to 190, then months.`,
});
const ComparisonWord = words(COMPARISONS, { title: "ReportComparison" });

// --- queries -------------------------------------------------------------------------------------------------------------------------------------------

/** Of every report. */
export const RANGE_QUERY = {
  from: Type.Optional(
    Type.String({ ...DAY, description: "The first day, in the installation's time zone. Default: so that there are 31 days." }),
  ),
  to: Type.Optional(Type.String({ ...DAY, description: `The last day, included; at most ${REPORT_DAYS_MAX} days. Default: today.` })),
  compare: Type.Optional(
    Type.Union([ComparisonWord], {
      default: "none",
      description:
        "`previous`: as many days before. `year`: the same days a year before. Whole days, also where one of them has not ended.",
    }),
  ),
};

/** Of those that have a series by time. */
export const GRANULARITY_QUERY = {
  granularity: Type.Optional(GranularityWord),
};

export const CURRENCY_QUERY = { currency: Type.Optional(Currency) };

/** Of those that are about payments. */
export const PAYMENT_QUERY = {
  ...CURRENCY_QUERY,
  terminalId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  method: Type.Optional(Method),
};

// --- parts ---------------------------------------------------------------------------------------------------------------------------------------------

/** Members with the description that the report has of each. */
type Described<Members extends TProperties> = { [Name in keyof Members]: Members[Name] };

function described<Members extends TProperties>(of: { readonly [figure: string]: string }, members: Members): Described<Members> {
  for (const [name, member] of Object.entries(members)) {
    const description = of[name];
    if (description !== undefined) Object.assign(member, { description });
  }
  return members;
}

const currency = { currency: Type.String() };
const count = () => Type.Integer();
const minor = () => Type.Integer();
const rate = () => nullable(Type.Number());

const sums = (of: { readonly [figure: string]: string }) =>
  described(of, {
    volumeMinor: minor(),
    approved: count(),
    declined: count(),
    approvalRate: rate(),
    averageTicketMinor: nullable(minor()),
  });

const linkSums = (of: { readonly [figure: string]: string }) =>
  described(of, {
    created: count(),
    createdMinor: minor(),
    paid: count(),
    paidMinor: minor(),
    cancelled: count(),
    expired: count(),
    conversionRate: rate(),
  });

const POINT = {
  start: Type.String({ description: "Local time with its offset, by which the two of an hour that comes twice differ." }),
  end: Type.String({ description: "The first millisecond after it." }),
  from: Type.String({ ...Day, description: "The first day of it, for lists." }),
  to: Type.String({ ...Day, description: "The last day of it." }),
};

const ANSWER = {
  timeZone: Type.String({ description: "The installation's time zone (IANA), of all days and hours." }),
  asOf: time("when it was counted; answers are shared for 15 s."),
  definitions: Type.Record(Type.String(), Type.String(), { description: "What each figure means, by its name." }),
};

/** A report as it is answered: the period that was asked for, and the same members of the one that it is compared with. */
function reportOf<Period extends TProperties>(title: string, period: Period) {
  const days = {
    from: Type.String({ ...Day, description: "The first day." }),
    to: Type.String({ ...Day, description: "The last day, included." }),
  };
  const members = { ...days, ...period };
  return Type.Object(
    {
      ...members,
      previous: nullable(
        Type.Object(members, {
          title: `${title}Before`,
          description: "With `compare`; its points stand against those of `series` in order.",
        }),
      ),
      ...ANSWER,
    },
    { title },
  );
}

const granularity = { granularity: GranularityWord };
const listOf = <T extends TProperties>(title: string, members: T, description: string) =>
  Type.Array(Type.Object(members, { title }), { description: `${description} At most ${REPORT_LINES_MAX}, the largest first.` });

const TOTALS = `Of the whole period, by currency. What a terminal wrote in the place of a currency is there as it stands: ${REPORT_CURRENCIES_MAX} of all at most, those that are known first.`;

/** Points, and the figures of the whole. */
function seriesOf<Figures extends TProperties>(title: string, figures: Figures) {
  const Figure = Type.Object({ ...currency, ...figures }, { title: `${title}Figures` });
  return {
    ...granularity,
    series: Type.Array(Type.Object({ ...POINT, figures: Type.Array(Figure) }, { title: `${title}Point` }), {
      description: "Every part of the period in order, also where nothing was.",
    }),
    totals: Type.Array(Figure, { description: TOTALS }),
  };
}

// --- reports -------------------------------------------------------------------------------------------------------------------------------------------

export const PaymentsReport = reportOf(
  "PaymentsReport",
  seriesOf("PaymentsReport", {
    ...sums(PAYMENTS),
    ...described(PAYMENTS, { refunds: count(), refundedMinor: minor(), netMinor: minor() }),
  }),
);

const methodFigures = { ...sums(METHOD_SUMS), ...described(METHOD_SUMS, { share: rate() }) };

/** Figures are of a currency and a method: `totals` has each pair that there is, and every point the same. */
export const MethodsReport = reportOf("MethodsReport", {
  ...seriesOf("MethodsReport", { method: Method, ...methodFigures }),
  brands: listOf(
    "BrandFigures",
    { ...currency, brand: Type.String({ description: "Empty: the result names none." }), ...methodFigures },
    "Card payments by brand.",
  ),
  entries: listOf(
    "CardEntryFigures",
    { ...currency, entry: Type.String({ description: "MAN, ICC or NFC; empty: the result does not say." }), ...methodFigures },
    "Card payments by how the card was read.",
  ),
  declines: listOf(
    "DeclineFigures",
    {
      ...currency,
      actionCode: Type.String({ description: "Empty: the result has none." }),
      message: Type.String({ description: "Empty: the result has none." }),
      ...described(METHOD_SUMS, { declined: count(), declinedMinor: minor() }),
    },
    "Declined payments by action code and message.",
  ),
});

/** What terminals and hours of the week have alike. */
const ReportedSums = Type.Object({ ...currency, ...sums(HEATMAP) }, { title: "ReportedSums" });
const activeTerminals = described(TERMINALS, { activeTerminals: count() });

export const TerminalsReport = reportOf("TerminalsReport", {
  ...granularity,
  series: Type.Array(Type.Object({ ...POINT, ...activeTerminals, figures: Type.Array(ReportedSums) }, { title: "TerminalsReportPoint" }), {
    description: "Every part of the period in order, also where nothing was.",
  }),
  totals: Type.Array(ReportedSums, { description: TOTALS }),
  ...activeTerminals,
  terminals: listOf(
    "TerminalFigures",
    { terminalId: Type.String(), ...currency, ...sums(TERMINALS), lastAt: time("its latest payment of the period.") },
    "Terminals that have any. As GET /transactions has them with `terminalId`: with the payment links that name it.",
  ),
});

export const HeatmapReport = reportOf("HeatmapReport", {
  series: Type.Array(
    Type.Object(
      {
        weekday: Type.Integer({ minimum: 1, maximum: 7, description: "1 is Monday." }),
        hour: Type.Integer({ minimum: 0, maximum: 23, description: "Of the clock: one that comes twice on a day counts as one." }),
        days: Type.Integer({ description: "How many days of the period are that weekday." }),
        figures: Type.Array(ReportedSums),
      },
      { title: "HeatmapReportCell" },
    ),
    { description: "All 168, by weekday and hour." },
  ),
  totals: Type.Array(ReportedSums, { description: TOTALS }),
});

export const LinksReport = reportOf("LinksReport", {
  ...seriesOf("LinksReport", {
    ...linkSums(LINKS),
    ...described(LINKS, { late: count(), pending: count(), medianMinutesToPay: nullable(Type.Number()) }),
  }),
  creators: listOf(
    "LinkCreatorFigures",
    { creator: Type.String({ description: "user, key, agent or subscription." }), ...currency, ...linkSums(LINKS) },
    "By who created them.",
  ),
});

const disputeOutcomes = () =>
  described(DISPUTES, { received: count(), receivedMinor: minor(), won: count(), lost: count(), expired: count(), winRate: rate() });

export const DisputesReport = reportOf("DisputesReport", {
  ...seriesOf("DisputesReport", {
    ...disputeOutcomes(),
    ...described(DISPUTES, {
      cardPayments: count(),
      cardVolumeMinor: minor(),
      rate: rate(),
      amountRate: rate(),
      alerts: count(),
      alertsMinor: minor(),
      alertsRefunded: count(),
      alertsPrevented: count(),
      alertsDeclined: count(),
      alertsInvalid: count(),
      preventionRate: rate(),
      alertsEscalated: count(),
    }),
  }),
  categories: listOf("DisputeCategoryFigures", { category: Type.String(), ...currency, ...disputeOutcomes() }, "Disputes by category."),
});

export const SubscriptionsReport = reportOf(
  "SubscriptionsReport",
  seriesOf(
    "SubscriptionsReport",
    described(SUBSCRIPTIONS, {
      active: count(),
      mrrMinor: minor(),
      activeBefore: count(),
      mrrBeforeMinor: minor(),
      started: count(),
      startedMrrMinor: minor(),
      churnedVoluntary: count(),
      churnedVoluntaryMrrMinor: minor(),
      voluntaryChurnRate: rate(),
      churnedDunning: count(),
      churnedDunningMrrMinor: minor(),
      dunningChurnRate: rate(),
      failedCycles: count(),
      recoveredCycles: count(),
      recoveryRate: rate(),
      medianDaysToRecover: nullable(Type.Number()),
    }),
  ),
);

const Agents = reportOf("AgentsReport", {
  ...seriesOf("AgentsReport", linkSums(AGENTS)),
  credentials: listOf(
    "AgentCredentialFigures",
    { credentialId: Type.String({ description: "`ac_...`" }), ...currency, ...linkSums(AGENTS) },
    "Links by the credential that created them.",
  ),
});

export const AgentsReport = Type.Object(
  {
    ...Agents.properties,
    refusals: Type.Array(
      Type.Object(
        {
          credentialId: Type.String({ description: "`ac_...`" }),
          name: Type.String({ description: "As you call it." }),
          limit: Type.String({ description: "currency, perLinkMax, perDay, total or linksPerHour." }),
          ...described(AGENTS, { refused: count() }),
        },
        { title: "AgentRefusalFigures" },
      ),
      { description: "What limits refused, of the newest 100 credentials; those that refused nothing are left out." },
    ),
  },
  { title: "AgentsReport" },
);

export type PaymentsReportJson = Static<typeof PaymentsReport>;
export type MethodsReportJson = Static<typeof MethodsReport>;
export type TerminalsReportJson = Static<typeof TerminalsReport>;
export type HeatmapReportJson = Static<typeof HeatmapReport>;
export type LinksReportJson = Static<typeof LinksReport>;
export type DisputesReportJson = Static<typeof DisputesReport>;
export type SubscriptionsReportJson = Static<typeof SubscriptionsReport>;
export type AgentsReportJson = Static<typeof AgentsReport>;
