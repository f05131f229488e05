import type { BillingInterval } from "./calendar.ts";

/** Limits the plans of a merchant in one environment, including deactivated ones. */
export const PLANS_MAX = 500;

/**
 * The amount and interval of payments. They never change, and subscriptions have their own copy.
 */
export interface PlanTerms extends BillingInterval {
  /** The name for customers, 1 to 255 characters. */
  readonly name: string;
  /** At least 1, in minor units of the currency. */
  readonly amountMinor: number;
  /** ISO 4217 in upper case. */
  readonly currency: string;
  /** Days before the first payment; 0 for no trial. */
  readonly trialDays: number;
}

export interface PlanRecord {
  readonly schema: 1;
  /** `plan_` and 24 letters or digits, derived from the operation that created it. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly terms: PlanTerms;
  /** Whether new subscriptions are possible. Existing ones continue. */
  readonly active: boolean;
  /**
   * Whether it ever had a subscription. It can then be deactivated but not removed. The commit of
   * the first subscription sets it.
   */
  readonly used: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
