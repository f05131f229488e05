/** The payment of a cycle with a card on file. */
export interface RecurringChargeOrder {
  /** `sub-<subscription>-<cycle>-<attempt>`. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  /** The id of the card on file. */
  readonly methodId: string;
  /** The amount in minor units. */
  readonly amountMinor: number;
  readonly currency: string;
  /** The name of the plan, which the customer's statement shows. */
  readonly description: string;
}

export type RecurringChargeAnswer =
  | { readonly type: "done"; readonly atMs: number }
  /**
   * `hard`: another attempt with this card is useless. `code` and `description` contain no personal
   * data.
   */
  | { readonly type: "failed"; readonly hard: boolean; readonly code: string; readonly description: string | null }
  /** The outcome is unknown, or not yet known. */
  | { readonly type: "unknown" };

/**
 * The port to the provider that charges cards on file. Each call ends within a minute. An error
 * means that the outcome is unknown.
 */
export interface RecurringCharges {
  /** Returns true if cards of the merchant's customers can be charged. In memory. */
  isOffered(merchant: { readonly merchantId: string; readonly partnerId: number; readonly livemode: boolean }): boolean;
  /** Charges at most once for an id, however often it is called. */
  charge(order: RecurringChargeOrder): Promise<RecurringChargeAnswer>;
  /**
   * Returns the outcome of a charge. `absent`: the provider never received it and never will, even
   * from a call in transit. If that is not certain, the result must be `unknown`, because after
   * `absent` the customer is charged under another id.
   */
  verify(order: RecurringChargeOrder): Promise<RecurringChargeAnswer | { readonly type: "absent" }>;
}

/** Used if no card can be charged. */
export const NO_RECURRING_CHARGES: RecurringCharges = {
  isOffered: () => false,
  charge: async () => ({ type: "failed", hard: true, code: "not_offered", description: null }),
  verify: async () => ({ type: "absent" }),
};
