/** What became of a delivery, as merchants see it. */
export const WEBHOOK_OUTCOMES = ["PENDING", "DELIVERED", "FAILED"] as const;
