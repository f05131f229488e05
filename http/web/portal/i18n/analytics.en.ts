/**
 * The texts of the analytics page in English. They are loaded with that page, because they are long
 * and no other page needs them.
 */

/** A figure and its meaning (infra/docs/portal.md, "What the figures mean"). */
export interface FigureText {
  label: string;
  about: string;
}

const figure = (label: string, about: string): FigureText => ({ label, about });

const sums = {
  volumeMinor: figure("Volume", "The sum of approved payments by card, Satispay, meal voucher and payment link."),
  approved: figure("Approved", "Approved payments. The list of transactions shows the same number with the same filters."),
  declined: figure("Declined", "Declined payments. Expired payment links are not included."),
  approvalRate: figure("Approval rate", "Approved payments as a share of all approved and declined payments. Expired links do not count."),
  averageTicketMinor: figure("Average payment", "The volume, divided by the number of approved payments."),
};

const linkSums = {
  created: figure("Created", "Payment links created in this period, whatever their state."),
  createdMinor: figure("Requested amount", "The sum of the links created."),
  paid: figure("Paid", "Links created in this period that are paid now."),
  paidMinor: figure("Paid amount", "The sum of the links paid."),
  cancelled: figure("Cancelled", "Links created in this period that were cancelled."),
  expired: figure("Expired", "Links created in this period that expired before they were paid."),
  conversionRate: figure(
    "Conversion",
    "Paid links as a share of all paid, expired and cancelled links. Links that can still be paid do not count.",
  ),
};

export const analytics = {
  title: "Analytics",
  lead: "How your business is doing. Select a figure to see the list behind it.",
  tabs: {
    payments: "Payments",
    methods: "Methods and declines",
    terminals: "Terminals",
    links: "Payment links",
    disputes: "Disputes",
    subscriptions: "Subscriptions",
    agents: "AI agents",
  },
  period: "Period",
  periods: {
    today: "Today",
    week: "Last 7 days",
    month: "Last 30 days",
    thisMonth: "This month",
    lastMonth: "Last month",
    thisYear: "This year",
    custom: "Other days",
  },
  from: "From",
  to: "To (inclusive)",
  rangeReversed: "The first day is after the last day. Choose an earlier first day.",
  rangeLong: (days: number) => `Choose at most ${days} days.`,
  compare: "Compare with",
  compares: { previous: "Previous period", year: "Same period last year", none: "Nothing" },
  granularity: "Group by",
  granularities: { auto: "Automatic", hour: "Hours", day: "Days", week: "Weeks", month: "Months" },
  currency: "Currency",
  currencies: "Amounts in different currencies are never added up. Choose the currency to show.",
  terminal: "Terminal",
  method: "Method",
  reset: "Reset",
  zone: (zone: string) => `Days and hours in ${zone}`,
  comparedWith: (days: string) => `compared with ${days}`,
  unfinished: "Today is not over yet, and is compared with whole days.",
  changes: {
    previous: {
      percent: (percent: string) => `${percent} from the previous period`,
      points: (points: string) => `${points} points from the previous period`,
    },
    year: { percent: (percent: string) => `${percent} from last year`, points: (points: string) => `${points} points from last year` },
  },
  same: "No change",
  fromNothing: "None before",
  noData: "No data to compare with",
  before: "Before",
  time: "When",
  ofSteps: { hour: "by hour", day: "by day", week: "by week", month: "by month" },
  definitions: "What these figures mean",
  emptyTitle: "No data in this period",
  emptyText: "Choose a longer period, or remove a filter.",
  minutes: (value: string) => `${value} min`,
  hours: (value: string) => `${value} h`,
  days: (value: string) => `${value} d`,
  unknown: "Unknown",
  figures: {
    payments: {
      ...sums,
      refunds: figure("Refunds", "Refunds made in this period, whatever the date of the payment."),
      refundedMinor: figure("Refunded", "The sum of the refunds made in this period."),
      netMinor: figure("Net", "The volume minus the refunds of the same period. The fees of your provider are not included."),
    },
    methods: {
      ...sums,
      share: figure("Share", "Share of the volume in this currency."),
      declinedMinor: figure("Declined amount", "The sum of the declined payments."),
    },
    terminals: {
      ...sums,
      activeTerminals: figure("Active terminals", "Terminals on which a payment was approved or declined. Payment links are not included."),
    },
    links: {
      ...linkSums,
      late: figure("Paid late", "Paid links that had already expired or been cancelled."),
      pending: figure("Can be paid", "Links created in this period that can still be paid."),
      medianMinutesToPay: figure(
        "Time to pay",
        "Median time from the creation of a link to its payment: half of the paid links took no longer.",
      ),
    },
    disputes: {
      received: figure("Disputes received", "Disputes received in this period, whatever their outcome."),
      receivedMinor: figure("Disputed amount", "The sum of the disputes received."),
      won: figure("Won", "Disputes received in this period that you won."),
      lost: figure("Lost", "Disputes received in this period that you lost or accepted."),
      expired: figure("Expired", "Disputes received in this period that nobody answered in time."),
      winRate: figure("Win rate", "Won disputes as a share of all won, lost and expired disputes. Open disputes do not count."),
      cardPayments: figure("Card payments", "Approved card payments in this period."),
      cardVolumeMinor: figure("Card volume", "The sum of the approved card payments."),
      rate: figure(
        "Dispute rate",
        "Disputes received as a share of the approved card payments of the same period. Card networks look at whole months: group by months.",
      ),
      amountRate: figure("Dispute rate by amount", "The disputed amount as a share of the card volume of the same period."),
      alerts: figure("Alerts received", "Alerts received in this period: complaints that are not yet disputes."),
      alertsMinor: figure("Amount of alerts", "The sum of the alerts received."),
      alertsRefunded: figure("Refunded", "Alerts received in this period whose payment was refunded."),
      alertsPrevented: figure("Prevented", "Alerts received in this period that the card network resolved."),
      alertsDeclined: figure("Declined", "Alerts received in this period that were declined, or that nobody decided in time."),
      alertsInvalid: figure(
        "Withdrawn",
        "Alerts received in this period that the card network withdrew. They do not count in the prevention rate.",
      ),
      preventionRate: figure(
        "Prevention rate",
        "Alerts that were refunded or resolved by the card network, as a share of all closed alerts. Withdrawn alerts do not count.",
      ),
      alertsEscalated: figure("Escalated", "Alerts received in this period that still became a dispute."),
    },
    subscriptions: {
      active: figure("Active", "Subscriptions that are active or past due at the end of this period, or now if it is not over."),
      mrrMinor: figure(
        "Monthly revenue (MRR)",
        "The value of the active subscriptions per month. A weekly one counts 52/12 of its amount, a yearly one 1/12.",
      ),
      activeBefore: figure("Active at the start", "Subscriptions that were active or past due at the start of this period."),
      mrrBeforeMinor: figure("MRR at the start", "The value of these subscriptions per month."),
      started: figure("Started", "Subscriptions that became active in this period."),
      startedMrrMinor: figure("Started, per month", "The value of the started subscriptions per month."),
      churnedVoluntary: figure("Cancelled", "Active subscriptions that you or the customer ended in this period."),
      churnedVoluntaryMrrMinor: figure("Cancelled, per month", "The value of the cancelled subscriptions per month."),
      churnedDunning: figure("Lost to failed payments", "Active subscriptions that ended in this period because they were not paid."),
      churnedDunningMrrMinor: figure("Lost to failed payments, per month", "The value of these subscriptions per month."),
      voluntaryChurnRate: figure(
        "Churn",
        "Subscriptions that you or the customer ended, as a share of those active at the start of the period.",
      ),
      dunningChurnRate: figure(
        "Churn from failed payments",
        "Subscriptions that ended because they were not paid, as a share of those active at the start of the period.",
      ),
      failedCycles: figure(
        "Failed payments",
        "Billing periods whose payment first failed in this period. A payment by link fails if it is not paid three days after it was due.",
      ),
      recoveredCycles: figure("Recovered", "Those of these billing periods that were paid later."),
      recoveryRate: figure("Recovery rate", "Billing periods that were paid after their first failure, as a share of those that failed."),
      medianDaysToRecover: figure(
        "Days to recover",
        "Median time from the first failure to the payment: half of the recovered payments took no longer.",
      ),
    },
    agents: {
      ...linkSums,
      created: figure("Created by agents", "Payment links that AI agents created in this period."),
      refused: figure("Blocked", "Links that a limit has blocked since the credential was created, not only in this period."),
    },
  },
  payments: {
    volume: "Volume",
    rate: "Approval rate",
    volumeHint: "Select a bar to see its payments.",
    busy: "Busiest hours",
    busyHint: "Average per day of the week in this period",
    busyMeasure: "Show",
    measures: { approved: "Payments", volumeMinor: "Volume" },
    hour: "Hour",
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    weekdaysShort: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
    few: "Fewer",
    many: "More",
  },
  methods: {
    volume: "Volume by method",
    table: "Methods",
    brands: "Cards by network",
    brand: "Network",
    entries: "Cards by entry",
    entry: "Card entry",
    declines: "Why payments were declined",
    declinesHint: "By the response of the acquirer or the terminal",
    reason: "Reason",
    noReason: "No reason given",
    declinesEmptyTitle: "No declined payments",
    declinesEmptyText: "In this period and with these filters.",
  },
  terminals: {
    active: "Active terminals",
    table: "By terminal",
    last: "Last payment",
  },
  links: {
    outcomes: "Outcome of the links created",
    conversion: "Conversion",
    creators: "By creator",
    creator: "Created by",
    creatorNames: { user: "Users", key: "Your software", agent: "AI agents", subscription: "Subscriptions" },
  },
  disputes: {
    received: "Disputes received",
    rate: "Dispute rate",
    categories: "By category",
    alerts: "Alerts",
    alertsHint: "Complaints that the card network reports before they become disputes",
  },
  subscriptions: {
    mrr: "Monthly revenue",
    movement: "Started and ended",
    ended: "Ended",
  },
  agents: {
    outcomes: "Outcome of the links created by agents",
    open: "Not paid",
    credentials: "By credential",
    credential: "Credential",
    refusals: "Links blocked by limits",
    refusalsHint: "Since each credential was created, not only in the period above",
    limit: "Limit",
    limits: {
      currency: "Other currency",
      perLinkMax: "Amount of one link",
      perDay: "Amount per day",
      total: "Total amount",
      linksPerHour: "Links per hour",
    },
    noRefusalsTitle: "Nothing was blocked",
    noRefusalsText: "The agents have stayed within their limits.",
  },
};

export type AnalyticsTexts = typeof analytics;
