export const ALERT_STATES = ["PENDING", "AUTO_REFUND", "REFUNDED", "DECLINED", "PREVENTED"] as const;
/** `RDR`: the network itself moves the money, by rules that the merchant has there. */
export const ALERT_SOURCES = ["ETHOCA", "CDRN", "RDR", "OTHER"] as const;
/** The sources that a rule may name. With `RDR` the network itself moves the money. */
export const ALERT_RULE_SOURCES = ["ETHOCA", "CDRN", "OTHER"] as const;

export const ALERT_REASON_LENGTH_MAX = 255;
export const ALERT_RULES_MAX = 20;
export const ALERT_RULE_DAILY_COUNT_MAX = 1_000;
