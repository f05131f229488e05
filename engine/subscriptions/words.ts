export const SUBSCRIPTION_STATES = ["INCOMPLETE", "TRIALING", "ACTIVE", "PAST_DUE", "PAUSED", "CANCELLED"] as const;
/** LINK: the customer pays each cycle by a payment link. CARD: a card on file is charged. */
export const COLLECTIONS = ["LINK", "CARD"] as const;
/** The longest pause between two payments is three years, whatever the interval. */
export const PLAN_COUNTS_MAX = { WEEK: 156, MONTH: 36, YEAR: 3 } as const;
export const PLAN_TRIAL_DAYS_MAX = 730;
export const PLAN_INTERVALS = ["WEEK", "MONTH", "YEAR"] as const;
export const DUNNING_RETRIES_MAX = 8;
/** The last retry is at most so many days after the first failure. */
export const DUNNING_DAYS_MAX = 45;
export const DUNNING_FINAL_ACTIONS = ["CANCEL", "PAUSE", "STAY"] as const;
