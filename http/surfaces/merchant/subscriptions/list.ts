import { SUBSCRIPTION_STATES } from "../../../../engine/subscriptions/words.ts";

/** The filters of the list of subscriptions. The endpoint checks them, and the page offers them. */
export const SUBSCRIPTION_LIST = {
  state: { type: "word", words: SUBSCRIPTION_STATES },
  planId: { type: "text", pattern: "^plan_[a-z0-9]{24}$" },
  customerEmail: { type: "email" },
  from: { type: "day" },
  to: { type: "day" },
} as const;
