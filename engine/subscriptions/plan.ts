import type { BillingInterval } from "./calendar.ts";

/** Plans of a merchant in one environment, deactivated ones too. */
export const PLANS_MAX = 500;

/** What is paid how often; fixed when it is created. Subscriptions keep their own copy. */
export interface PlanTerms extends BillingInterval {
  /** For customers: 1 to 255 characters. */
  readonly name: string;
  /** In minor units of the currency, at least 1. */
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
  /** Days before the first payment; 0 for none. */
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
  /** Whether there may be new subscriptions to it; those that it has go on. */
  readonly active: boolean;
  /** Whether it ever had a subscription: then it is deactivated and never removed. Stored with the first one. */
  readonly used: boolean;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
}
