/**
 * What an operator has to look at (`GET /admin/attention`). `clickhouse_damaged` names a part of a table in the place of a uuid. `store_lost_commits` names when the lost time begins in the place of a uuid. `zvt_undelivered`: a cash register was not told that its payment was approved, and has gone on to the next
 * sale; `zvt_refused_by_ecr`: it refused to be told.
 */
export const ATTENTION_KINDS = [
  "unknown",
  "unsolicited",
  "unreadable",
  "conflict",
  "amount_differs",
  "currency_unknown",
  "late",
  "link_late",
  "link_unverified",
  "link_operation_unknown",
  "link_reversal",
  "link_paid_twice",
  "dispute_undelivered",
  "alert_refund_failed",
  "alert_refund_unknown",
  "alert_refunded_twice",
  "subscription_unknown",
  "subscription_late",
  "subscription_paid_twice",
  "feed_refused",
  "clickhouse_damaged",
  "store_lost_commits",
  "zvt_undelivered",
  "zvt_refused_by_ecr",
] as const;
export type AttentionKind = (typeof ATTENTION_KINDS)[number];
