/**
 * What is fed of a merchant's things beside its payments, for reports: a row of `relay.merchant_objects`, put into the outbox by the commit that makes it true. One row
 * for each thing; `version` grows with each of its changes. Nothing personal: no names, addresses, descriptions, references or tokens.
 */
export interface ObjectRow {
  type: "object";
  /** As `objectVersion` makes it. */
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
  /**
   * link: who made it (user, key, agent, subscription). dispute: its category. alert: its source. refund: who asked for it (user, key, alert, partner, operator; relay: nobody,
   * it was owed; empty: not known).
   */
  category: string;
  /**
   * link: late, or empty. dispute: outcome (won, lost, accepted), or empty. alert: what ended it (merchant, deadline, rule, network, invalid). subscription: who ended it (merchant,
   * customer, dunning, unpaid), empty while it has not. charge: hard or soft where it failed; overdue where its link was unpaid for so long that its cycle counts
   * as failed, whatever became of it then; lost where it never came to whoever was to be asked, unpaid where its link has ended otherwise, which both are no failures; else empty.
   */
  reason: string;
  /** Minor units of `currency`: of a link what was ordered, of a subscription what a cycle costs. */
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
  /** link: when it was paid, cancelled or expired. refund: when it was done. dispute, alert, subscription: when it was closed. charge: when its outcome was known. Else null. */
  endedAtMs: number | null;
  /** subscription: its amount normalised to a month (a week × 52 / 12, a year / 12), rounded half up. Else 0. */
  monthlyMinor: number;
}

export type MerchantObjectKind = "link" | "refund" | "dispute" | "alert" | "subscription" | "charge";

/** Above every time in milliseconds that a clock comes to. */
const TIMES_MAX = 2 ** 42;

/**
 * The version of a row. `last`: what grows with each change of the thing, its time where that is kept (`changedAtMs`). What has moved money for good ranks above all that has not: a
 * store that was restored and has forgotten it never says otherwise by what time alone makes of the thing. Everything else follows the store, as its clock goes on.
 */
export function objectVersion(hasMovedMoney: boolean, last: number): number {
  return (hasMovedMoney ? TIMES_MAX : 0) + last;
}

/** When a thing is changed: after its change before, also where that was made in the same millisecond, or by a clock that is ahead. */
export function changedAtMs(beforeMs: number | null, atMs: number): number {
  return beforeMs === null ? atMs : Math.max(beforeMs + 1, atMs);
}

/** Of the rows that things have after a commit, those that say something else than before it. */
export function changedRows(before: readonly ObjectRow[], after: readonly ObjectRow[]): readonly ObjectRow[] {
  const known = new Map(before.map((row) => [row.id, saidBy(row)]));
  return after.filter((row) => known.get(row.id) !== saidBy(row));
}

function saidBy(row: ObjectRow): string {
  return JSON.stringify({ ...row, version: 0 });
}

/** What most things do not have. */
export const NOTHING_ELSE = {
  ...{ category: "", reason: "", uuid: "", parent: "", attempt: 0 },
  ...{ dueAtMs: null, activeAtMs: null, endedAtMs: null, monthlyMinor: 0 },
} as const;
