export const AGENT_STATES = ["ACTIVE", "EXHAUSTED", "EXPIRED", "REVOKED"] as const;
/** The limits that may reject an order. `currency`: the order has another currency. */
export const AGENT_LIMITS = ["currency", "perLinkMax", "perDay", "total", "linksPerHour"] as const;
/** `refused`: scopes, limits or invalid arguments. `failed`: the relay could not do it. */
export const AGENT_CALL_OUTCOMES = ["done", "refused", "failed"] as const;
export const AGENT_NAME_LENGTH_MAX = 64;
export const AGENT_ADDRESSES_MAX = 20;
/** The lifetime of a credential. It ends unless it is replaced. */
export const AGENT_DAYS_MAX = 90;
export const AGENT_DAYS_DEFAULT = 30;
export const AGENT_LINKS_PER_HOUR_MAX = 1_000;
export const AGENT_LINKS_PER_HOUR_DEFAULT = 20;
