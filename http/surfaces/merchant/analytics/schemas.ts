import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { REPORT_CURRENCIES_MAX, REPORT_LINES_MAX } from "../../../../engine/reports/merchant-reports.ts";
import { words } from "../../parts/schemas.ts";
import { DAY } from "../../parts/time.ts";
import { Currency, Day, nullable, time } from "../schema-parts.ts";
import { Method } from "../transaction-schemas.ts";
import { AGENTS, DISPUTES, HEATMAP, LINKS, METHOD_SUMS, PAYMENTS, SUBSCRIPTIONS, TERMINALS } from "./definitions.ts";

/**
 * The JSON of the reports, from which pages take their types. Each figure belongs to one currency.
 * A point has figures for every currency of `totals`, in their order, with zeros for a currency
 * without payments.
 */

export const GRANULARITIES = ["hour", "day", "week", "month"] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const COMPARISONS = ["none", "previous", "year"] as const;
export type Comparison = (typeof COMPARISONS)[number];

export const REPORT_DAYS_MAX = 400;
export const HOURLY_DAYS_MAX = 7;

const GranularityWord = words(GRANULARITIES, {
  title: "ReportGranularity",
  description: `Length of each part of the series. Hours are available for at most ${HOURLY_DAYS_MAX} days. Weeks begin on Monday; the first and last week or month contain only their days within the period. Default: hours up to two days, days up to 62, weeks up to 190, otherwise months.`,
});
const ComparisonWord = words(COMPARISONS, { title: "ReportComparison" });

// --- queries ---

/** Every report has these members. */
export const RANGE_QUERY = {
  from: Type.Optional(
    Type.String({
      ...DAY,
      description: "The first day, in the installation's time zone. Default: 30 days before `to`, so that the period has 31 days.",
    }),
  ),
  to: Type.Optional(
    Type.String({ ...DAY, description: `The last day, inclusive; a report covers at most ${REPORT_DAYS_MAX} days. Default: today.` }),
  ),
  compare: Type.Optional(
    Type.Union([ComparisonWord], {
      default: "none",
      description:
        "Period to compare with. `previous`: the same number of days before. `year`: the same days a year before. Whole days are compared, even if the last one has not ended.",
    }),
  ),
};

/** Reports with a series by time have these members. */
export const GRANULARITY_QUERY = {
  granularity: Type.Optional(GranularityWord),
};

export const CURRENCY_QUERY = { currency: Type.Optional(Currency) };

/** Reports about payments have these members. */
export const PAYMENT_QUERY = {
  ...CURRENCY_QUERY,
  terminalId: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  method: Type.Optional(Method),
};

// --- parts ---

/** Members with the description that the report gives each. */
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
  start: Type.String({ description: "Local time with its offset. When an hour occurs twice, the offset distinguishes the two." }),
  end: Type.String({ description: "The first millisecond after this part of the period." }),
  from: Type.String({ ...Day, description: "The first day of this part, for lists." }),
  to: Type.String({ ...Day, description: "The last day of this part." }),
};

const ANSWER = {
  timeZone: Type.String({ description: "The installation's time zone (IANA), of all days and hours." }),
  asOf: time("when the figures were computed; the relay reuses a response for 15 s."),
  definitions: Type.Record(Type.String(), Type.String(), { description: "The meaning of each figure, by its name." }),
};

/**
 * The response of a report: the requested period, and the same members for the period that it is
 * compared with.
 */
function reportOf<Period extends TProperties>(title: string, period: Period) {
  const days = {
    from: Type.String({ ...Day, description: "The first day." }),
    to: Type.String({ ...Day, description: "The last day, inclusive." }),
  };
  const members = { ...days, ...period };
  return Type.Object(
    {
      ...members,
      previous: nullable(
        Type.Object(members, {
          title: `${title}Before`,
          description: "Present with `compare`; its points correspond in order to those of `series`.",
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

const TOTALS = `Figures of the whole period, by currency. A currency code that is not a known one is shown as the terminal sent it. At most ${REPORT_CURRENCIES_MAX} currencies, known ones first.`;

/** Points, and the figures of the whole period. */
function seriesOf<Figures extends TProperties>(title: string, figures: Figures) {
  const Figure = Type.Object({ ...currency, ...figures }, { title: `${title}Figures` });
  return {
    ...granularity,
    series: Type.Array(Type.Object({ ...POINT, figures: Type.Array(Figure) }, { title: `${title}Point` }), {
      description: "Every part of the period in order, including those without any payment.",
    }),
    totals: Type.Array(Figure, { description: TOTALS }),
  };
}

// --- reports ---

export const PaymentsReport = reportOf(
  "PaymentsReport",
  seriesOf("PaymentsReport", {
    ...sums(PAYMENTS),
    ...described(PAYMENTS, { refunds: count(), refundedMinor: minor(), netMinor: minor() }),
  }),
);

const methodFigures = { ...sums(METHOD_SUMS), ...described(METHOD_SUMS, { share: rate() }) };

/**
 * Figures belong to a currency and a method. `totals` has each existing pair, and every point has
 * the same pairs.
 */
export const MethodsReport = reportOf("MethodsReport", {
  ...seriesOf("MethodsReport", { method: Method, ...methodFigures }),
  brands: listOf(
    "BrandFigures",
    { ...currency, brand: Type.String({ description: "Empty if the result names none." }), ...methodFigures },
    "Card payments by brand.",
  ),
  entries: listOf(
    "CardEntryFigures",
    {
      ...currency,
      entry: Type.String({ description: "How the card was read: MAN, ICC or NFC. Empty if the result does not say." }),
      ...methodFigures,
    },
    "Card payments by how the card was read.",
  ),
  declines: listOf(
    "DeclineFigures",
    {
      ...currency,
      actionCode: Type.String({ description: "Empty if the result has none." }),
      message: Type.String({ description: "Empty if the result has none." }),
      ...described(METHOD_SUMS, { declined: count(), declinedMinor: minor() }),
    },
    "Declined payments by action code and message.",
  ),
});

/** The members that the reports of terminals and of hours of the week share. */
const ReportedSums = Type.Object({ ...currency, ...sums(HEATMAP) }, { title: "ReportedSums" });
const activeTerminals = described(TERMINALS, { activeTerminals: count() });

export const TerminalsReport = reportOf("TerminalsReport", {
  ...granularity,
  series: Type.Array(Type.Object({ ...POINT, ...activeTerminals, figures: Type.Array(ReportedSums) }, { title: "TerminalsReportPoint" }), {
    description: "Every part of the period in order, including those without any activity.",
  }),
  totals: Type.Array(ReportedSums, { description: TOTALS }),
  ...activeTerminals,
  terminals: listOf(
    "TerminalFigures",
    { terminalId: Type.String(), ...currency, ...sums(TERMINALS), lastAt: time("its latest payment in the period.") },
    "Terminals with any payment. They include the payment links that name the terminal, as GET /transactions does with `terminalId`.",
  ),
});

export const HeatmapReport = reportOf("HeatmapReport", {
  series: Type.Array(
    Type.Object(
      {
        weekday: Type.Integer({ minimum: 1, maximum: 7, description: "1 is Monday." }),
        hour: Type.Integer({ minimum: 0, maximum: 23, description: "Hour of the day. An hour that occurs twice on a day counts as one." }),
        days: Type.Integer({ description: "How many days of the period fall on that weekday." }),
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
    { creator: Type.String({ description: "Who created them: user, key, agent or subscription." }), ...currency, ...linkSums(LINKS) },
    "Links by their creator.",
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
          name: Type.String({ description: "The credential's name." }),
          limit: Type.String({ description: "The limit: currency, perLinkMax, perDay, total or linksPerHour." }),
          ...described(AGENTS, { refused: count() }),
        },
        { title: "AgentRefusalFigures" },
      ),
      { description: "What limits have rejected, for the newest 100 credentials; those without any rejection are left out." },
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
