/**
 * What each figure of a report means, in a sentence or two: in the schemas, in the answers, and for whoever reads them (infra/docs/portal.md, "What the figures mean"). Amounts
 * are minor units of their currency; a rate is a number from 0 to 1.
 */

const LIST = "Same days, currency, terminal and method:";

const SUMS = {
  volumeMinor: "Sum of the approved payments. What counts as a payment says the guide: checks of cards, receipts and scans do not.",
  approved: `Payments with the outcome OK. ${LIST} as many as GET /transactions has with \`status=OK\`.`,
  declined: `Payments with the outcome KO, without payment links that expired. ${LIST} as many as GET /transactions has with \`status=KO\`, but for these.`,
  approvalRate: "approved / (approved + declined).",
  averageTicketMinor: "volumeMinor / approved, rounded.",
};

export const PAYMENTS = {
  ...SUMS,
  refunds:
    "Refunds that were done in this time, whenever their payment was made: by the day of the refund. Lists, exports and reconciliation subtract a refund on the day of its payment.",
  refundedMinor: "Sum of these refunds.",
  netMinor: "volumeMinor - refundedMinor.",
};

export const METHOD_SUMS = {
  ...SUMS,
  share: "Its part of the volume of its currency.",
  declinedMinor: "Sum of the declined payments.",
};

export const TERMINALS = {
  ...SUMS,
  activeTerminals: "Terminals at which a payment was approved or declined. Payment links are paid at none.",
};

export const HEATMAP = SUMS;

const LINK_SUMS = {
  created: "Payment links created in this time. As many as GET /payment-links has with the same days and currency.",
  createdMinor: "Sum of the links created.",
  paid: "Of the links created in this time, those that are paid, whenever that was: `state=PAID`.",
  paidMinor: "Sum of the links paid.",
  cancelled: "Of the links created in this time, those that are cancelled: `state=CANCELLED`.",
  expired: "Of the links created in this time, those that expired unpaid: `state=EXPIRED`.",
  conversionRate: "paid / (paid + expired + cancelled), of the links created in this time.",
};

export const LINKS = {
  ...LINK_SUMS,
  late: "Of the links paid, those that had expired or had been cancelled before.",
  pending: "Of the links created in this time, those that can still be paid: `state=PENDING`.",
  medianMinutesToPay: "From a link's creation to its payment: half of those that are paid took no longer.",
};

export const DISPUTES = {
  received: "Disputes received in this time. As many as GET /disputes has with `includeAlerts=false` and the same days and currency.",
  receivedMinor: "Sum of the disputes received.",
  won: "Of the disputes received in this time, those that are won: `status=WON`.",
  lost: "Of the disputes received in this time, those that are lost or accepted: `status=LOST`.",
  expired: "Of the disputes received in this time, those that nobody answered in time: `status=EXPIRED`.",
  winRate: "won / (won + lost + expired), of the disputes received in this time.",
  cardPayments:
    "Approved card payments in this time. As many as GET /transactions has with `method=CARD`, `status=OK` and the same days and currency.",
  cardVolumeMinor: "Sum of the approved card payments.",
  rate: "received / cardPayments, of the same time: by month with the granularity `month`.",
  amountRate: "receivedMinor / cardVolumeMinor, of the same time.",
  alerts: "Alerts received in this time. As many as GET /alerts has with the same days and currency.",
  alertsMinor: "Sum of the alerts received.",
  alertsRefunded: "Of the alerts received in this time, those whose payment was given back: `state=REFUNDED`.",
  alertsPrevented: "Of the alerts received in this time, those that the network resolved: `state=PREVENTED`.",
  alertsDeclined:
    "Of the alerts received in this time, those that were declined or ran out of time (`state=DECLINED`), without `alertsInvalid`.",
  alertsInvalid: "Of the alerts received in this time, those that the network took back; the prevention rate leaves them out.",
  preventionRate: "(alertsRefunded + alertsPrevented) / (alertsRefunded + alertsPrevented + alertsDeclined).",
  alertsEscalated: "Of the alerts received in this time, those that a dispute came after.",
};

export const SUBSCRIPTIONS = {
  active: "Subscriptions that are ACTIVE or PAST_DUE at the end of this time, or now where it has not ended.",
  mrrMinor: "Monthly recurring revenue: what the active subscriptions come to in a month. A week counts 52/12, a year 1/12.",
  activeBefore: "The same as `active` when this time began.",
  mrrBeforeMinor: "The same as `mrrMinor` when this time began.",
  started: "Subscriptions that became active in this time.",
  startedMrrMinor: "What these come to in a month.",
  churnedVoluntary: "Active subscriptions that the merchant or the customer ended in this time.",
  churnedVoluntaryMrrMinor: "What these came to in a month.",
  churnedDunning: "Active subscriptions that ended in this time by the dunning policy, because they were not paid.",
  churnedDunningMrrMinor: "What these came to in a month.",
  voluntaryChurnRate: "churnedVoluntary / activeBefore.",
  dunningChurnRate: "churnedDunning / activeBefore.",
  failedCycles:
    "Cycles whose payment failed for the first time in this time; those that are paid by link fail when they are unpaid three days after they were due.",
  recoveredCycles: "Of these cycles, those that were paid afterwards, whenever that was.",
  recoveryRate: "recoveredCycles / failedCycles.",
  medianDaysToRecover: "From a cycle's first failure to its payment: half of those recovered took no longer.",
};

export const AGENTS = {
  ...LINK_SUMS,
  created: "Payment links that agents created in this time.",
  refused: "Orders for links that a limit refused, since the credential was made: not of this time only.",
};
