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
    means: "A command was handed to a terminal and no result came back. The customer may have paid.",
    todo: "Look at the terminal's own journal or ask the shop before anybody charges again. The entry goes away by itself when the result arrives.",
  },
  unsolicited: {
    title: "Result nobody asked for",
    means:
      "A terminal posted a result for which the relay has no command: a payment that was begun on the terminal itself, or a uuid that is not ours.",
    todo: "Compare it with the shop's till. If the shop took it by hand, nothing is to be done; if not, find out who else sends to this terminal.",
  },
  unreadable: {
    title: "Unreadable result",
    means: "A terminal posted something whose outcome cannot be told. The payment of the same time may have gone through.",
    todo: "Read what was posted, below. Find the outcome on the terminal, tell the shop, and report the version of the app to whoever makes it.",
  },
  conflict: {
    title: "Two different results",
    means: "Two different results came for one payment. The first one counts; the second is kept here.",
    todo: "Compare both with the terminal's journal. If the second is the true one, correct the till by hand: the relay does not change what it has told.",
  },
  amount_differs: {
    title: "Another amount",
    means: "What was taken is not what was asked for: another amount, or the same number in another currency.",
    todo: "Check the receipt: a tip or a partial approval explains it. Otherwise ask the shop to refund or to charge the difference.",
  },
  currency_unknown: {
    title: "Unknown currency",
    means: "A result names a currency that is none. It is kept as it came.",
    todo: "Check the terminal's settings, and correct the app's configuration. The amount itself is kept.",
  },
  late: {
    title: "Late result",
    means: "A result came after the command had been shown as expired or cancelled: the till may have gone on without it.",
    todo: "If it was approved, the customer has paid: ask the shop whether it was charged twice, and let it refund one.",
  },
  link_late: {
    title: "Link paid late",
    means: "A payment link was paid after it had been shown as expired or failed.",
    todo: "Tell the merchant that the money is there: deliver, or refund the payment.",
  },
  link_unverified: {
    title: "Link not verified",
    means: "A link has expired, and the card gateway cannot be asked whether it was paid.",
    todo: "Check the gateway account of the partner or merchant, and whether the gateway is reachable. The entry goes away when the gateway answers.",
  },
  link_operation_unknown: {
    title: "Capture, reversal or refund unknown",
    means: "The answer to a capture, reversal or refund was lost, and the gateway does not confirm that it happened.",
    todo: "Look the transaction up in the gateway's back office before anybody repeats it: money may have moved.",
  },
  link_reversal: {
    title: "Payment without an order",
    means: "A link was paid for an order that was cancelled or already paid.",
    todo: "The detail says whether the relay gives the money back. If it does not, refund it by hand in the gateway's back office.",
  },
  link_paid_twice: {
    title: "Link paid twice",
    means: "A payment link of the portal was paid a second time: the customer has paid double.",
    todo: "Its merchant gives one of the payments back in the portal. If nobody does within a day, call the merchant.",
  },
  dispute_undelivered: {
    title: "Response to a dispute not delivered",
    means: "A response to a dispute has not reached its network, or nobody knows whether it has.",
    todo: "Ask the network or the acquirer whether they have it, before its deadline if that is still ahead, and tell the merchant.",
  },
  alert_refund_failed: {
    title: "Refund of an alert failed",
    means: "The automatic refund of an alert was refused. The alert waits for its merchant again.",
    todo: "The detail says why. Tell the merchant to refund or decline it before its deadline: else it becomes a dispute.",
  },
  alert_refund_unknown: {
    title: "Refund of an alert unknown",
    means: "The answer to the refund of an alert was lost, and the gateway does not confirm that it happened.",
    todo: "Look the transaction up in the gateway's back office before anybody repeats it: money may have moved.",
  },
  alert_refunded_twice: {
    title: "Alert paid back twice",
    means: "A payment was refunded because of an alert that had ended otherwise: its network may have paid the customer as well.",
    todo: "Ask the network whether it moved the money too. If so, the merchant has paid twice and can claim it back there.",
  },
  subscription_unknown: {
    title: "Subscription charge unknown",
    means: "For a day nobody has said whether the customer of a subscription was charged. Nothing else is asked for before that is known.",
    todo: "Look the charge up where the card is kept on file. The entry goes away when the outcome is known.",
  },
  subscription_late: {
    title: "Subscription paid late",
    means: "A payment was made after its subscription had been paused or cancelled.",
    todo: "Its merchant keeps the payment or gives it back. If the merchant does not know of it, call.",
  },
  subscription_paid_twice: {
    title: "Subscription paid twice",
    means: "One cycle of a subscription was paid a second time: the customer has paid double.",
    todo: "Its merchant gives one of the payments back. If nobody does within a day, call the merchant.",
  },
  feed_refused: {
    title: "Row refused by the reports",
    means: "ClickHouse or Kafka refused a row, so reports and lists miss it. The relay's own answers have it.",
    todo: "Repair the cause, then run “npm run rebuild-analytics”. The entry goes away when the row was taken.",
  },
  clickhouse_damaged: {
    title: "ClickHouse is damaged",
    means:
      "ClickHouse cannot read a part of a table, or has set it aside: reports and lists miss its rows, or fail. Payments are not affected.",
    todo: "Follow the runbook RelayClickHouseDamaged: drop the part, then run “npm run rebuild-analytics”, which takes the entry away.",
  },
  store_lost_commits: {
    title: "The store has lost payments",
    means:
      "The store came back without changes that it had acknowledged. Payments of the time that the entry names may be unknown to the relay, and the same payment sent again would charge the customer twice.",
    todo: "Follow the runbook RelayStoreLostCommits now: stop repeated payments of that time, then compare terminals and reports with the relay.",
  },
  zvt_undelivered: {
    title: "Cash register not told",
    means: "A payment of a cash register was approved, and the register was not told. It may have gone on to the next sale.",
    todo: "Tell the shop: the customer has paid. Check the connection between register and relay.",
  },
  zvt_refused_by_ecr: {
    title: "Cash register refused the answer",
    means: "A cash register did not take the message that its payment was approved. The card was charged.",
    todo: "Tell the shop: the sale is paid, or has to be refunded. Tell the maker of the register.",
  },
};

export const attention = {
  title: "Attention",
  lead: "What a person has to look at, what it means, and what to do about it.",
  refresh: "Refresh",
  byKind: "By kind",
  kind: "Kind",
  order: "Order",
  newest: "Newest first",
  oldest: "Oldest first",
  time: "Time",
  terminal: "Terminal",
  uuid: "Payment id",
  detail: "What is known",
  since: (time: string) => `The oldest: ${time}`,
  count: (count: number) => (count === 1 ? "1 entry" : `${count} entries`),
  cut: (count: number) => `There are more than the ${count} entries shown here: work on a kind, then load the page again.`,
  whatToDo: "What to do:",
  searchIt: "Search this payment",
  itsTerminal: "Its terminal",
  done: "Done: take it away",
  doneTitle: "Take this entry away?",
  doneText: "Nothing else changes. That you have done it is in the audit log. Where the same happens again, the entry is there again.",
  isDone: "The entry is taken away.",
  raw: "What was posted",
  rawHint: "Card numbers are masked.",
  goes: "Entries are kept for 90 days. Those whose cause can go away go with it; the others stay to be looked up.",
  emptyTitle: "Nothing needs attention",
  emptyText: "Every payment has a result that everybody agrees on.",
  kinds,
};
