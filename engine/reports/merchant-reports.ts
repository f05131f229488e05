import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { TransactionMethod } from "../payments/transaction.ts";

/**
 * Maximum number of points in a series: the hours of a week, with hours that clocks repeat, or 400
 * days. The same days of another year may contain one more day, 29 February.
 */
export const REPORT_BUCKETS_MAX = 401;

/**
 * Maximum number of currencies in a report, since each is in every point. A terminal may report any
 * text as a currency, and a thousand texts make a report of a year a hundred megabytes large. Known
 * currencies take precedence, and then the ones with the most payments.
 */
export const REPORT_CURRENCIES_MAX = 20;

/** Maximum number of lines in a breakdown, the largest first. Further lines are skipped. */
export const REPORT_LINES_MAX = 500;

/** The filter of a report. An absent member does not filter. */
export interface ReportQuery {
  /**
   * The first milliseconds of the buckets in order, and the end of the last bucket: one more than
   * there are buckets. They are whole quarters of an hour.
   */
  readonly edges: readonly number[];
  readonly currency?: string;
  readonly terminalId?: string;
  readonly method?: TransactionMethod;
}

/**
 * Sums in one currency, like all figures here. Amounts are in minor units and are never added
 * across currencies.
 */
export interface PaymentSums {
  readonly currency: string;
  /** Sum of the approved payments. */
  readonly volumeMinor: number;
  readonly approved: number;
  /** Declined payments without expired links. */
  readonly declined: number;
}

export interface PaymentFigures extends PaymentSums {
  /** Refunds made in the time, whenever their payment was made. */
  readonly refunds: number;
  readonly refundedMinor: number;
}

export interface MethodFigures extends PaymentSums {
  readonly method: TransactionMethod;
}

/** Cards by brand; empty if the result names none. */
export interface BrandFigures extends PaymentSums {
  readonly brand: string;
}

/** Cards by the way they were read (MAN, ICC, NFC); empty if the result does not state it. */
export interface EntryFigures extends PaymentSums {
  readonly entry: string;
}

export interface DeclineFigures {
  readonly currency: string;
  /** Empty if the result has none. */
  readonly actionCode: string;
  readonly message: string;
  readonly declined: number;
  readonly declinedMinor: number;
}

export interface TerminalFigures extends PaymentSums {
  readonly terminalId: string;
  readonly lastAtMs: number;
}

/** Sums for an hour of the clock (0 to 23) on a day of the week (1 is Monday). */
export interface HeatmapFigures extends PaymentSums {
  readonly weekday: number;
  readonly hour: number;
}

export interface LinkSums {
  readonly currency: string;
  readonly created: number;
  readonly createdMinor: number;
  readonly paid: number;
  readonly paidMinor: number;
  readonly cancelled: number;
  readonly expired: number;
}

/** Links created in the time, in their present state. */
export interface LinkFigures extends LinkSums {
  /** Paid links that had already expired or been cancelled. */
  readonly late: number;
  readonly pending: number;
  /** Median time from creation to payment; null if no link was paid. */
  readonly medianMinutesToPay: number | null;
}

/** Links by creator: user, key, agent or subscription. */
export interface LinkCreatorFigures extends LinkSums {
  readonly creator: string;
}

/**
 * Disputes and alerts received in the time, in their present state, and the card payments of the
 * same time.
 */
export interface DisputeFigures {
  readonly currency: string;
  readonly received: number;
  readonly receivedMinor: number;
  readonly won: number;
  readonly lost: number;
  readonly expired: number;
  readonly cardPayments: number;
  readonly cardVolumeMinor: number;
  readonly alerts: number;
  readonly alertsMinor: number;
  readonly alertsRefunded: number;
  readonly alertsPrevented: number;
  /** Declined alerts with the ones that have expired, without `alertsInvalid`. */
  readonly alertsDeclined: number;
  /** Alerts that the network withdrew. */
  readonly alertsInvalid: number;
  /** Alerts that a dispute followed. */
  readonly alertsEscalated: number;
}

export interface DisputeCategoryFigures {
  readonly currency: string;
  readonly category: string;
  readonly received: number;
  readonly receivedMinor: number;
  readonly won: number;
  readonly lost: number;
  readonly expired: number;
}

export interface SubscriptionFigures {
  readonly currency: string;
  /**
   * Subscriptions that are ACTIVE or PAST_DUE at the end of the bucket (or range), or now if it has
   * not ended.
   */
  readonly active: number;
  /** The monthly amount of these subscriptions. */
  readonly mrrMinor: number;
  /** The values at the beginning of the bucket (or range). */
  readonly activeBefore: number;
  readonly mrrBeforeMinor: number;
  readonly started: number;
  readonly startedMrrMinor: number;
  /** Subscriptions that the merchant or the customer ended. */
  readonly churnedVoluntary: number;
  readonly churnedVoluntaryMrrMinor: number;
  /** Subscriptions that the dunning policy ended. */
  readonly churnedDunning: number;
  readonly churnedDunningMrrMinor: number;
  /**
   * Cycles whose first failure was in the time, and the ones among them that were paid afterwards.
   */
  readonly failedCycles: number;
  readonly recoveredCycles: number;
  readonly medianDaysToRecover: number | null;
}

export interface AgentCredentialFigures extends LinkSums {
  readonly credentialId: string;
}

export interface Report<Figures> {
  /** When the report was calculated. */
  readonly asOfMs: number;
  /** The buckets in order. A bucket contains no currency without figures. */
  readonly buckets: readonly (readonly Figures[])[];
  /** Totals of the whole range, for all currencies of any bucket. */
  readonly totals: readonly Figures[];
}

export interface MethodsReport extends Report<MethodFigures> {
  readonly brands: readonly BrandFigures[];
  readonly entries: readonly EntryFigures[];
  readonly declines: readonly DeclineFigures[];
}

export interface TerminalsReport extends Report<PaymentSums> {
  /**
   * Terminals with an approved or declined payment, in each bucket and in all. Links are not paid
   * at a terminal.
   */
  readonly activeTerminals: readonly number[];
  readonly activeTerminalsInAll: number;
  readonly terminals: readonly TerminalFigures[];
}

export interface HeatmapReport {
  readonly asOfMs: number;
  /** Only cells with figures. */
  readonly cells: readonly HeatmapFigures[];
  readonly totals: readonly PaymentSums[];
}

/** The difference of the clocks from UTC from `fromMs` on. */
export interface ClockOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

export interface HeatmapQuery extends Omit<ReportQuery, "edges"> {
  readonly fromMs: number;
  readonly untilMs: number;
  /** The offsets in order. The first one begins at `fromMs` or earlier. */
  readonly offsets: readonly ClockOffset[];
}

export interface LinksReport extends Report<LinkFigures> {
  readonly creators: readonly LinkCreatorFigures[];
}

export interface DisputesReport extends Report<DisputeFigures> {
  readonly categories: readonly DisputeCategoryFigures[];
}

export type SubscriptionsReport = Report<SubscriptionFigures>;

export interface AgentsReport extends Report<LinkSums> {
  readonly credentials: readonly AgentCredentialFigures[];
}

export type PaymentQuery = ReportQuery;
/** The query for links, disputes and subscriptions, which have no terminal. */
export type ObjectQuery = Pick<ReportQuery, "edges" | "currency">;

/** The query and the report for each name. */
export interface ReportKinds {
  payments: { query: PaymentQuery; report: Report<PaymentFigures> };
  methods: { query: PaymentQuery; report: MethodsReport };
  terminals: { query: PaymentQuery; report: TerminalsReport };
  heatmap: { query: HeatmapQuery; report: HeatmapReport };
  links: { query: ObjectQuery; report: LinksReport };
  disputes: { query: ObjectQuery; report: DisputesReport };
  subscriptions: { query: ObjectQuery; report: SubscriptionsReport };
  agents: { query: ObjectQuery; report: AgentsReport };
}

export type ReportName = keyof ReportKinds;

/**
 * Figures of a merchant over up to 400 days, from `relay.merchant_transactions` and
 * `relay.merchant_objects` in ClickHouse and from rows that the feed has not confirmed yet. Equal
 * queries within 15 s share an answer. Rejects with RelayError `unavailable` if ClickHouse does not
 * answer within three seconds, or if the merchant sends too many queries at once.
 */
export interface MerchantReports {
  report<Name extends ReportName>(
    name: Name,
    owner: MerchantScope,
    query: ReportKinds[Name]["query"],
    gone?: AbortSignal,
  ): Promise<ReportKinds[Name]["report"]>;
}
