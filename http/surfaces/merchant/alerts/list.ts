import { ALERT_SOURCES, ALERT_STATES } from "../../../../engine/alerts/words.ts";

/** The filters of the list of alerts. The endpoint checks them, and the page offers them. */
export const ALERT_LIST = {
  state: { type: "word", words: ALERT_STATES },
  source: { type: "word", words: ALERT_SOURCES },
  currency: { type: "text", pattern: "^[A-Z]{3}$" },
  from: { type: "day" },
  to: { type: "day" },
  order: { type: "word", words: ["newest", "due"] },
} as const;
