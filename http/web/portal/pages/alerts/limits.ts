/** As ALERT_RULES_MAX, ALERT_RULE_DAILY_COUNT_MAX and AMOUNT_MINOR_MAX of the engine, which decides; this is to say so before anything is sent. */
export const RULES_MAX = 20;
export const DAILY_COUNT_MAX = 1_000;
export const AMOUNT_MINOR_MAX = 999_999_999_999;
