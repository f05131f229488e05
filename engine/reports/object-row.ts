/**
 * What is fed of a merchant's things beside its payments, for reports: a row of `relay.merchant_objects`, put into the outbox by the commit that makes it true. One row
 * for each thing; `version` grows with each of its changes. Nothing personal: no names, addresses, descriptions, references or tokens.
 */
export interface ObjectRow {
  type: "object";
  version: number;
  /** The version of the commit that stored it, known to whoever has read it from the store. */
  storeVersion?: number;
  merchantId: string;
  livemode: boolean;
  object: MerchantObjectKind;
  /** Of a charge `<subscription>-<cycle>-<attempt>`, of a refund its operation's id at the gateway. */
  id: string;
  /** When it was made; of a refund and a charge when it was first asked for. Never changes. */
  createdAtMs: number;
  /**
   * link: PENDING, PAID, CANCELLED, EXPIRED. refund: done, unknown, refused. dispute, alert and subscription: the state of their machine.
   * charge: asked, paid, failed, unknown.
   */
  state: string;
  /** link: who made it (user, key, agent, subscription). dispute: its category. alert: its source. refund: who asked for it (user, key, alert, partner, operator). */
  category: string;
  /**
   * link: late, or empty. dispute: outcome. alert: what ended it (merchant, deadline, rule, network, invalid). subscription: who ended it (merchant, customer, dunning,
   * unpaid), empty while it has not. charge: hard or soft where it failed.
   */
  reason: string;
  /** Minor units of `currency`. */
  amountMinor: number;
  currency: string;
  /** The payment that it is about: of a dispute, an alert, a refund, a paid link or charge; else empty. */
  uuid: string;
  /** link: the agent's credential or the subscription that made it. charge: its subscription. dispute: its alert. subscription: its plan. Else empty. */
  parent: string;
  /** charge: which attempt of its cycle, from 1. Else 0. */
  attempt: number;
  /** charge: when its cycle was due. dispute, alert: until when it is to be answered. Else null. */
  dueAtMs: number | null;
  /** subscription: when it first became ACTIVE or TRIALING. Else null. */
  activeAtMs: number | null;
  /** link: when it was paid, cancelled or expired. refund: when it was done. dispute, alert, subscription: when it was closed. charge: when its outcome was known. */
  endedAtMs: number | null;
  /** subscription: its amount normalised to a month (a week × 52 / 12, a year / 12), rounded half up. Else 0. */
  monthlyMinor: number;
}

export type MerchantObjectKind = "link" | "refund" | "dispute" | "alert" | "subscription" | "charge";
