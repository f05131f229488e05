/**
 * Defines each figure of a report in a sentence or two. Schemas, responses and infra/docs/portal.md
 * ("What the figures mean") use these texts. Amounts are minor units of their currency; a rate is a
 * number from 0 to 1.
 */

const LIST = "Same days, currency, terminal and method:";

const SUMS = {
  volumeMinor: "Sum of the approved payments. The guide says what counts as a payment: card checks, receipts and scans do not.",
  approved: `Payments with the outcome OK. ${LIST} the number equals that of GET /transactions with \`status=OK\`.`,
  declined: `Payments with the outcome KO, without expired payment links. ${LIST} except for these links, the number equals that of GET /transactions with \`status=KO\`.`,
  approvalRate: "approved / (approved + declined).",
  averageTicketMinor: "volumeMinor / approved, rounded.",
};

export const PAYMENTS = {
  ...SUMS,
  refunds:
    "Refunds executed in this time, whenever their payment was made: they count on the day of the refund. Lists, exports and reconciliation subtract a refund on the day of its payment.",
  refundedMinor: "Sum of these refunds.",
  netMinor: "volumeMinor - refundedMinor.",
};

export const METHOD_SUMS = {
  ...SUMS,
  share: "Share of the volume of its currency.",
  declinedMinor: "Sum of the declined payments.",
};

export const TERMINALS = {
  ...SUMS,
  activeTerminals: "Terminals at which a payment was approved or declined. Payment links are not paid at a terminal.",
};

export const HEATMAP = SUMS;

const LINK_SUMS = {
  created: "Payment links created in this time. The number equals that of GET /payment-links with the same days and currency.",
  createdMinor: "Sum of the links created.",
  paid: "Links created in this time that are paid, whenever that was: `state=PAID`.",
  paidMinor: "Sum of the links paid.",
  cancelled: "Links created in this time that are cancelled: `state=CANCELLED`.",
  expired: "Links created in this time that expired unpaid: `state=EXPIRED`.",
  conversionRate: "paid / (paid + expired + cancelled), of the links created in this time.",
};

export const LINKS = {
  ...LINK_SUMS,
  late: "Paid links that had expired or had been cancelled before.",
  pending: "Links created in this time that can still be paid: `state=PENDING`.",
  medianMinutesToPay: "Median time from a link's creation to its payment.",
};

export const DISPUTES = {
  received:
    "Disputes received in this time. The number equals that of GET /disputes with `includeAlerts=false` and the same days and currency.",
  receivedMinor: "Sum of the disputes received.",
  won: "Disputes received in this time that are won: `status=WON`.",
  lost: "Disputes received in this time that are lost or accepted: `status=LOST`.",
  expired: "Disputes received in this time that nobody answered in time: `status=EXPIRED`.",
  winRate: "won / (won + lost + expired), of the disputes received in this time.",
  cardPayments:
    "Approved card payments in this time. The number equals that of GET /transactions with `method=CARD`, `status=OK` and the same days and currency.",
  cardVolumeMinor: "Sum of the approved card payments.",
  rate: "received / cardPayments, both of the same time: by month with the granularity `month`.",
  amountRate: "receivedMinor / cardVolumeMinor, both of the same time.",
  alerts: "Alerts received in this time. The number equals that of GET /alerts with the same days and currency.",
  alertsMinor: "Sum of the alerts received.",
  alertsRefunded: "Alerts received in this time whose payment was refunded: `state=REFUNDED`.",
  alertsPrevented: "Alerts received in this time that the network resolved: `state=PREVENTED`.",
  alertsDeclined: "Alerts received in this time that were declined or reached their deadline (`state=DECLINED`), without `alertsInvalid`.",
  alertsInvalid: "Alerts received in this time that the network withdrew; the prevention rate excludes them.",
  preventionRate: "(alertsRefunded + alertsPrevented) / (alertsRefunded + alertsPrevented + alertsDeclined).",
  alertsEscalated: "Alerts received in this time that a dispute followed.",
};

export const SUBSCRIPTIONS = {
  active: "Subscriptions that are ACTIVE or PAST_DUE at the end of this time, or now if it has not ended.",
  mrrMinor: "Monthly recurring revenue: the monthly amount of the active subscriptions. Weekly amounts count 52/12, yearly amounts 1/12.",
  activeBefore: "`active` at the beginning of this time.",
  mrrBeforeMinor: "`mrrMinor` at the beginning of this time.",
  started: "Subscriptions that became active in this time.",
  startedMrrMinor: "Monthly amount of these subscriptions.",
  churnedVoluntary: "Active subscriptions that the merchant or the customer ended in this time.",
  churnedVoluntaryMrrMinor: "Monthly amount of these subscriptions.",
  churnedDunning: "Active subscriptions that the dunning policy ended in this time, because they were not paid.",
  churnedDunningMrrMinor: "Monthly amount of these subscriptions.",
  voluntaryChurnRate: "churnedVoluntary / activeBefore.",
  dunningChurnRate: "churnedDunning / activeBefore.",
  failedCycles:
    "Cycles whose payment failed for the first time in this time. A cycle that is paid by link fails if it is unpaid three days after its due time.",
  recoveredCycles: "Cycles of these that were paid afterwards, whenever that was.",
  recoveryRate: "recoveredCycles / failedCycles.",
  medianDaysToRecover: "Median time from a cycle's first failure to its payment, for the recovered cycles.",
};

export const AGENTS = {
  ...LINK_SUMS,
  created: "Payment links that agents created in this time.",
  refused: "Requests for links that a limit rejected since the credential was created: not only in this time.",
};
