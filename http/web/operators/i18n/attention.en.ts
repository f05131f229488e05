import type { AttentionKind } from "../../../../engine/payments/attention-kinds.ts";

interface KindWords {
  title: string;
  /** What has happened. */
  means: string;
  /** What a person does about it. */
  todo: string;
}

const kinds: Readonly<Record<AttentionKind, KindWords>> = {
  unknown: {
    title: "Outcome unknown",
    means: "A command was sent to a terminal, but no result came back. The customer may have paid.",
    todo: "Check the terminal's journal or ask the shop before anybody charges again. The entry disappears automatically when the result arrives.",
  },
  unsolicited: {
    title: "Unrequested result",
    means: "A terminal sent a result for which the relay has no command: a payment started on the terminal itself, or an unknown uuid.",
    todo: "Compare it with the shop's till. If the shop entered the payment by hand, you need not do anything. Otherwise find out who else sends commands to this terminal.",
  },
  unreadable: {
    title: "Unreadable result",
    means: "A terminal sent a result that cannot be read. The payment at that time may have gone through.",
    todo: "Read the received data below. Find the outcome on the terminal and tell the shop. Report the app version to its manufacturer.",
  },
  conflict: {
    title: "Two different results",
    means: "Two different results arrived for one payment. The first one counts. The second one is shown here.",
    todo: "Compare both with the terminal's journal. If the second one is correct, correct the till by hand: the relay does not change a reported result.",
  },
  amount_differs: {
    title: "Different amount",
    means: "The terminal charged something other than requested: a different amount, or the same number in another currency.",
    todo: "Check the receipt: a tip or a partial approval can explain it. Otherwise ask the shop to refund or charge the difference.",
  },
  currency_unknown: {
    title: "Unknown currency",
    means: "A result contains a currency code that does not exist. It is stored as received.",
    todo: "Check the settings of the terminal and correct the configuration of the app. The amount itself is stored.",
  },
  late: {
    title: "Late result",
    means: "A result arrived after the command was reported as expired or cancelled. The till may have continued without it.",
    todo: "If it was approved, the customer has paid. Ask the shop whether it charged twice and, if so, to refund one payment.",
  },
  link_late: {
    title: "Link paid late",
    means: "A payment link was paid after it was reported as expired or failed.",
    todo: "Tell the merchant that the payment was taken. The merchant delivers, or refunds it.",
  },
  link_unverified: {
    title: "Link not verified",
    means: "A link has expired, but the card gateway does not answer whether it was paid.",
    todo: "Check the gateway account of the partner or merchant, and whether the gateway is reachable. The entry disappears when the gateway answers.",
  },
  link_operation_unknown: {
    title: "Capture, reversal or refund unknown",
    means: "The response to a capture, reversal or refund was lost, and the gateway does not confirm that it was carried out.",
    todo: "Look up the transaction in the gateway's back office before anybody repeats it. The money may already have moved.",
  },
  link_reversal: {
    title: "Payment without an order",
    means: "A link was paid although its order was cancelled or already paid.",
    todo: "The details say whether the relay refunds the payment. If not, refund it by hand in the gateway's back office.",
  },
  link_paid_twice: {
    title: "Link paid twice",
    means: "A payment link of the portal was paid twice: the customer has paid double.",
    todo: "The merchant refunds one of the payments in the portal. If that does not happen within a day, call the merchant.",
  },
  dispute_undelivered: {
    title: "Response to a dispute not delivered",
    means: "A response to a dispute did not reach the card network, or it is not known whether it did.",
    todo: "Ask the network or the acquirer whether they have it, if possible before the deadline. Then tell the merchant.",
  },
  alert_refund_failed: {
    title: "Refund of an alert failed",
    means: "The automatic refund of an alert was rejected. The merchant has to decide again.",
    todo: "The details say why. Tell the merchant to refund or decline the alert before its deadline. Otherwise it becomes a dispute.",
  },
  alert_refund_unknown: {
    title: "Refund of an alert unknown",
    means: "The response to the refund of an alert was lost, and the gateway does not confirm that it was carried out.",
    todo: "Look up the transaction in the gateway's back office before anybody repeats it. The money may already have moved.",
  },
  alert_refunded_twice: {
    title: "Alert refunded twice",
    means:
      "A payment was refunded because of an alert that was already closed in another way. The network may also have paid the customer.",
    todo: "Ask the network whether it paid the customer too. If so, the merchant has paid twice and can claim the money back there.",
  },
  subscription_unknown: {
    title: "Subscription charge unknown",
    means:
      "For a day it has not been known whether the customer of a subscription was charged. No other payment is requested until it is known.",
    todo: "Look up the charge at the provider that stores the card. The entry disappears when the outcome is known.",
  },
  subscription_late: {
    title: "Subscription paid late",
    means: "A payment was made after its subscription was paused or cancelled.",
    todo: "The merchant keeps the payment or refunds it. If the merchant does not know about it, call them.",
  },
  subscription_paid_twice: {
    title: "Subscription paid twice",
    means: "One period of a subscription was paid twice: the customer has paid double.",
    todo: "The merchant refunds one of the payments. If that does not happen within a day, call the merchant.",
  },
  feed_refused: {
    title: "Row rejected by the reports",
    means: "ClickHouse or Kafka rejected a row, so it is missing from reports and lists. The answers of the relay itself contain it.",
    todo: "Fix the cause, then run “npm run rebuild-analytics”. The entry disappears when the row is accepted.",
  },
  clickhouse_damaged: {
    title: "ClickHouse is damaged",
    means:
      "ClickHouse cannot read part of a table, or has set it aside. Its rows are missing from reports and lists, or these fail. Payments are not affected.",
    todo: "Follow the runbook RelayClickHouseDamaged: drop the part, then run “npm run rebuild-analytics”. This removes the entry.",
  },
  store_lost_commits: {
    title: "The store has lost payments",
    means:
      "The store restarted without changes that it had confirmed. The relay may not know payments from the time shown in this entry. If such a payment is sent again, the customer is charged twice.",
    todo: "Follow the runbook RelayStoreLostCommits now: stop repeated payments from that time, then compare terminals and reports with the relay.",
  },
  zvt_undelivered: {
    title: "Cash register not informed",
    means: "A payment of a cash register was approved, but the register did not get the result. It may have continued with the next sale.",
    todo: "Tell the shop that the customer has paid. Check the connection between register and relay.",
  },
  zvt_refused_by_ecr: {
    title: "Cash register rejected the result",
    means: "A cash register did not accept the message that its payment was approved. The card was charged.",
    todo: "Tell the shop that the sale is paid, or must be refunded. Inform the manufacturer of the register.",
  },
};

export const attention = {
  title: "Attention",
  lead: "Problems that need a person: what happened, and what to do.",
  refresh: "Refresh",
  byKind: "By kind",
  kind: "Kind",
  order: "Order",
  newest: "Newest first",
  oldest: "Oldest first",
  time: "Time",
  terminal: "Terminal",
  uuid: "Payment id",
  detail: "Details",
  since: (time: string) => `Oldest: ${time}`,
  count: (count: number) => (count === 1 ? "1 entry" : `${count} entries`),
  cut: (count: number) => `There are more than the ${count} entries shown here. Choose a kind and work on it, then reload the page.`,
  whatToDo: "What to do:",
  searchIt: "Search for this payment",
  itsTerminal: "Open the terminal",
  done: "Done: remove entry",
  doneTitle: "Remove this entry?",
  doneText: "Nothing else changes. The audit log shows that you removed it. If the same happens again, the entry comes back.",
  isDone: "The entry is removed.",
  raw: "Received data",
  rawHint: "Card numbers are masked.",
  goes: "Entries are kept for 90 days. An entry disappears earlier if its cause is resolved automatically.",
  emptyTitle: "Nothing needs attention",
  emptyText: "All payments have a clear result. Problems appear here as soon as they are found.",
  kinds,
};
