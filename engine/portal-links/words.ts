export const PORTAL_LINK_STATES = ["PENDING", "PAID", "CANCELLED", "EXPIRED"] as const;
export const PORTAL_LINK_HOURS_MIN = 1;
export const PORTAL_LINK_HOURS_MAX = 90 * 24;
export const PORTAL_LINK_HOURS_DEFAULT = 7 * 24;
