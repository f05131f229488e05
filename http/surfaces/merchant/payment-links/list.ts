import { PORTAL_LINK_STATES } from "../../../../engine/portal-links/words.ts";

/** The filters of the list of payment links. The endpoint checks them, and the page offers them. */
export const PAYMENT_LINK_LIST = {
  state: { type: "word", words: PORTAL_LINK_STATES },
  from: { type: "day" },
  to: { type: "day" },
  customerEmail: { type: "email" },
  q: { type: "text", minLength: 1, maxLength: 255 },
  agentId: { type: "text", pattern: "^ac_[a-z0-9]{24}$" },
  currency: { type: "text", pattern: "^[A-Z]{3}$" },
} as const;
