/** A payment of a cycle by a card on file. */
export interface RecurringChargeOrder {
  /** `sub-<subscription>-<cycle>-<attempt>`. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** The card on file. */
  readonly methodId: string;
  /** In minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  /** Of the plan: what the customer's statement shows. */
  readonly description: string;
}

export type RecurringChargeAnswer =
  | { readonly type: "done"; readonly atMs: number }
  /** `hard`: asking again is of no use. `code` and `description` hold no personal data. */
  | { readonly type: "failed"; readonly hard: boolean; readonly code: string; readonly description: string | null }
  /** It is not known, or not known yet. */
  | { readonly type: "unknown" };

/**
 * The port to whoever charges cards on file. Each call ends within a minute. What throws counts as not known.
 */
export interface RecurringCharges {
  /** Whether the customers of a merchant can be charged so. In memory. */
  isOffered(merchant: { readonly merchantId: string; readonly partnerId: number; readonly livemode: boolean }): boolean;
  /** Charges once at most for one id, however often it is called with it. */
  charge(order: RecurringChargeOrder): Promise<RecurringChargeAnswer>;
  /**
   * What became of a charge. `absent`: it was never received and never will be, also by a call that is still on its way. Where that cannot be said for certain, the answer is
   * `unknown`: after `absent` the customer is charged under another id.
   */
  verify(order: RecurringChargeOrder): Promise<RecurringChargeAnswer | { readonly type: "absent" }>;
}

/** Where no card can be charged. */
export const NO_RECURRING_CHARGES: RecurringCharges = {
  isOffered: () => false,
  charge: async () => ({ type: "failed", hard: true, code: "not_offered", description: null }),
  verify: async () => ({ type: "absent" }),
};
