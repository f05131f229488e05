/** Outcomes of a delivery, as merchants see them. */
export const WEBHOOK_OUTCOMES = ["PENDING", "DELIVERED", "FAILED"] as const;
