import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { TransactionMethod } from "../payments/transaction.ts";

/** Points of one series: hours of a week with those that clocks repeat, or 400 days; the same days of another year may have a 29 February more. */
export const REPORT_BUCKETS_MAX = 401;

/**
 * Currencies of one report: each is in every point. A terminal may write what it likes in their place (a thousand texts are a hundred megabytes in a report of a year), so they are
 * those that are known, and then those of the most payments.
 */
export const REPORT_CURRENCIES_MAX = 20;

/** Lines of one breakdown: what comes after them is left out, the largest first. */
export const REPORT_LINES_MAX = 500;

/** What a report is of; an absent member narrows nothing. */
export interface ReportQuery {
  /** First milliseconds of the buckets, in order, and the first one after the last: one more than there are buckets. Whole quarters of an hour. */
  readonly edges: readonly number[];
  readonly currency?: string;
  readonly terminalId?: string;
  readonly method?: TransactionMethod;
}

/** Of one currency, as everything here: amounts in minor units, and never added over currencies. */
export interface PaymentSums {
  readonly currency: string;
  /** Sum of the approved payments. */
  readonly volumeMinor: number;
  readonly approved: number;
  /** Without links that expired. */
  readonly declined: number;
}

export interface PaymentFigures extends PaymentSums {
  /** Refunds that were done in the time, whenever their payment was. */
  readonly refunds: number;
  readonly refundedMinor: number;
}

export interface MethodFigures extends PaymentSums {
  readonly method: TransactionMethod;
}

/** Cards by brand; empty where the result names none. */
export interface BrandFigures extends PaymentSums {
  readonly brand: string;
}

/** Cards by how they were read (MAN, ICC, NFC); empty where the result does not say. */
export interface EntryFigures extends PaymentSums {
  readonly entry: string;
}

export interface DeclineFigures {
  readonly currency: string;
  /** Empty where the result has none. */
  readonly actionCode: string;
  readonly message: string;
  readonly declined: number;
  readonly declinedMinor: number;
}

export interface TerminalFigures extends PaymentSums {
  readonly terminalId: string;
  readonly lastAtMs: number;
}

/** Of an hour of the clock (0 to 23) on a day of the week (1 is Monday). */
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

/** Of links created in the time, as they stand. */
export interface LinkFigures extends LinkSums {
  /** Of those that were paid: after they had expired or had been cancelled. */
  readonly late: number;
  readonly pending: number;
  /** From their creation to their payment; null where none was paid. */
  readonly medianMinutesToPay: number | null;
}

/** By who made them: user, key, agent, subscription. */
export interface LinkCreatorFigures extends LinkSums {
  readonly creator: string;
}

/** Of disputes and alerts received in the time, as they stand, against the card payments of that time. */
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
  /** With those that ran out of time, without `alertsInvalid`. */
  readonly alertsDeclined: number;
  /** What the network took back. */
  readonly alertsInvalid: number;
  /** That a dispute came after. */
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
  /** ACTIVE and PAST_DUE when the bucket (or the range) ends, or now where it has not ended. */
  readonly active: number;
  /** What these come to in a month. */
  readonly mrrMinor: number;
  /** The same when it began. */
  readonly activeBefore: number;
  readonly mrrBeforeMinor: number;
  readonly started: number;
  readonly startedMrrMinor: number;
  /** Ended by the merchant or the customer. */
  readonly churnedVoluntary: number;
  readonly churnedVoluntaryMrrMinor: number;
  /** Ended by the dunning policy. */
  readonly churnedDunning: number;
  readonly churnedDunningMrrMinor: number;
  /** Cycles whose first failure was in the time, and those of them that were paid after it. */
  readonly failedCycles: number;
  readonly recoveredCycles: number;
  readonly medianDaysToRecover: number | null;
}

export interface AgentCredentialFigures extends LinkSums {
  readonly credentialId: string;
}

export interface Report<Figures> {
  /** When it was counted. */
  readonly asOfMs: number;
  /** In order, one for each bucket. A currency that a bucket has nothing of is not in it. */
  readonly buckets: readonly (readonly Figures[])[];
  /** Of the whole range. Its currencies are all that any bucket has. */
  readonly totals: readonly Figures[];
}

export interface MethodsReport extends Report<MethodFigures> {
  readonly brands: readonly BrandFigures[];
  readonly entries: readonly EntryFigures[];
  readonly declines: readonly DeclineFigures[];
}

export interface TerminalsReport extends Report<PaymentSums> {
  /** Terminals with a payment that was approved or declined at them, in each bucket and in all. Links are paid at none. */
  readonly activeTerminals: readonly number[];
  readonly activeTerminalsInAll: number;
  readonly terminals: readonly TerminalFigures[];
}

export interface HeatmapReport {
  readonly asOfMs: number;
  /** Those that have any. */
  readonly cells: readonly HeatmapFigures[];
  readonly totals: readonly PaymentSums[];
}

/** How far the clocks are ahead of UTC from `fromMs` on. */
export interface ClockOffset {
  readonly fromMs: number;
  readonly offsetMs: number;
}

export interface HeatmapQuery extends Omit<ReportQuery, "edges"> {
  readonly fromMs: number;
  readonly untilMs: number;
  /** In order; the first one from `fromMs` or before. */
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
/** Of links, disputes and subscriptions, which are of no terminal. */
export type ObjectQuery = Pick<ReportQuery, "edges" | "currency">;

/** Each report by its name: what is asked, and what comes of it. */
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
 * Figures of a merchant over up to 400 days: from ClickHouse's `relay.merchant_transactions` and `relay.merchant_objects` together with what the feed has not confirmed
 * yet. Whoever asks for the same within 15 s shares an answer. Rejects with RelayError `unavailable` where ClickHouse does not answer within three seconds, or the
 * merchant asks for more at once than it may.
 */
export interface MerchantReports {
  report<Name extends ReportName>(
    name: Name,
    owner: MerchantScope,
    query: ReportKinds[Name]["query"],
    gone?: AbortSignal,
  ): Promise<ReportKinds[Name]["report"]>;
}
