import { DISPUTE_CATEGORIES, DISPUTE_STAGES, DISPUTE_STATES } from "../../../../engine/disputes/words.ts";

/** The status of an item: the state of a dispute, or `ALERT` for an alert that must be answered. */
export const DISPUTE_STATUSES = [...DISPUTE_STATES, "ALERT"] as const;

/** The filters of the list of disputes. The endpoint checks them, and the page offers them. */
export const DISPUTE_LIST = {
  status: { type: "word", words: DISPUTE_STATUSES },
  stage: { type: "word", words: DISPUTE_STAGES },
  category: { type: "word", words: DISPUTE_CATEGORIES },
  from: { type: "day" },
  to: { type: "day" },
  dueWithinDays: { type: "integer", minimum: 1, maximum: 400 },
  terminalId: { type: "text", maxLength: 64 },
  currency: { type: "text", pattern: "^[A-Z]{3}$" },
  q: { type: "text", minLength: 1, maxLength: 64 },
  includeAlerts: { type: "flag", default: true },
} as const;
