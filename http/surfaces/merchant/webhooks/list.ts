import { WEBHOOK_OUTCOMES } from "../../../../engine/webhooks/words.ts";

/** The filters of the list of deliveries. The endpoint checks them, and the page offers them. */
export const DELIVERY_LIST = {
  endpointId: { type: "text", pattern: "^we_[a-z0-9]{24}$" },
  outcome: { type: "word", words: WEBHOOK_OUTCOMES },
  eventType: { type: "text", maxLength: 100 },
  objectId: { type: "text", maxLength: 100 },
} as const;
