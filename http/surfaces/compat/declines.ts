import type { Attempt } from "../../../engine/intents/intent.ts";
import { type DeclineReason, declineReasonOf } from "../../../engine/payments/declines.ts";

/** Why an attempt failed, in the platform's words; the same on the intent, the charge and in events. */
export interface Decline {
  readonly type: "card_error" | "invalid_request_error";
  readonly code: "card_declined" | "payment_intent_payment_attempt_expired" | "payment_method_customer_decline";
  readonly declineCode: string | null;
  /** The gateway's own code where ours has no word for it. */
  readonly networkDeclineCode: string | null;
  /** For the buyer; what the gateway wrote is not for him. */
  readonly message: string;
}

const EXPIRED: Decline = {
  type: "invalid_request_error",
  code: "payment_intent_payment_attempt_expired",
  declineCode: null,
  networkDeclineCode: null,
  message: "The time for this payment is over. Please try again.",
};

const DECLINED: Decline = {
  type: "card_error",
  code: "card_declined",
  declineCode: "generic_decline",
  networkDeclineCode: null,
  message: "Your card was declined.",
};

const BY_REASON: ReadonlyMap<DeclineReason | null, Decline> = new Map([
  ["declined", DECLINED],
  ["insufficient_funds", { ...DECLINED, declineCode: "insufficient_funds", message: "Your card has insufficient funds." }],
  ["time_over", EXPIRED],
  [
    "cancelled",
    {
      type: "invalid_request_error",
      code: "payment_method_customer_decline",
      declineCode: null,
      networkDeclineCode: null,
      message: "The payment was cancelled on the payment page.",
    },
  ],
]);

/** Canceled by the merchant while it was open: the platform has no word for that. */
const REVOKED: Decline = { ...EXPIRED, message: "The payment was canceled." };

/** Paid although the payment was canceled or paid already. Nobody is to ship anything for it. */
const UNWANTED: Decline = { ...EXPIRED, message: "The payment was canceled or paid already; this money is given back." };

/** What a failed attempt is told as. One of which the gateway knows nothing was never paid in its time. */
export function declineOf({
  state,
  resultCode,
  unwanted,
}: Pick<Attempt, "resultCode"> & Partial<Pick<Attempt, "state" | "unwanted">>): Decline {
  if (unwanted === true) return UNWANTED;
  if (state === "revoked") return REVOKED;
  if (resultCode === null) return EXPIRED;
  return BY_REASON.get(declineReasonOf({ actionCode: resultCode })) ?? { ...DECLINED, networkDeclineCode: resultCode };
}
