import type { MerchantGrant } from "../../../engine/access/merchant-grant.ts";
import type { IntentRecord } from "../../../engine/intents/intent.ts";
import { statusOf } from "../../../engine/intents/intent.ts";
import type { Intents } from "../../../engine/intents/intents.ts";
import { declineOf } from "./declines.ts";
import { forbidden, lockTimeout, notConfirmed, PlatformError, refusedByState } from "./platform-error.ts";

type Shown = (record: IntentRecord) => object;

/** Refusals that several calls have in common, by the outcome's type. The payment intent is embedded, so that a caller sees where it stands. */
export function unexpected(intent: IntentRecord, action: string, shown: Shown): PlatformError {
  return refusedByState(`You cannot ${action} this PaymentIntent because it has a status of ${statusOf(intent)}.`, {
    code: "payment_intent_unexpected_state",
    paymentIntent: shown(intent),
  });
}

/** The gateway refused, in its own words. */
export function refusedByGateway(intent: IntentRecord, description: string, code: string, shown: Shown): PlatformError {
  return refusedByState(description === "" ? "The card gateway refused the payment." : description, { code, paymentIntent: shown(intent) });
}

/** As the platform says it: a disputed payment is not given back. */
export function disputed(intent: IntentRecord, shown: Shown): PlatformError {
  return refusedByState("This payment is under dispute and cannot be refunded.", {
    code: "charge_disputed",
    paymentIntent: shown(intent),
  });
}

export function unsettled(): PlatformError {
  return lockTimeout("The outcome of an attempt to pay is not known yet; send the same request again shortly.");
}

export function unavailable(): PlatformError {
  return notConfirmed(
    "It is unknown whether the card gateway executed the operation; send the same request with the same Idempotency-Key to find out.",
  );
}

export function noAccount(): PlatformError {
  return forbidden("The merchant has no account at the card gateway; its partner must add one.", "account_invalid");
}

/** A key of the environment that the merchant is not in, without an account that is kept for it. */
export function otherEnvironment(): PlatformError {
  return new PlatformError(
    "This key belongs to the merchant's other environment, and its partner has no account at the card gateway for that environment. Nothing was sent to the card gateway.",
    { status: 409, type: "invalid_request_error", code: "other_environment", shouldRetry: false, stored: false },
  );
}

/** Throws PlatformError for what would move money of a payment on an account that the key may not reach. */
export async function requireReach(
  intents: Pick<Intents, "isKeptForTest">,
  { otherEnvironment: isOther }: MerchantGrant,
  find: () => Promise<IntentRecord | null>,
): Promise<void> {
  const intent = isOther === true ? await find() : null;
  if (intent !== null && !(await intents.isKeptForTest(intent))) throw otherEnvironment();
}

/** The gateway refused to begin the payment; the intent's last attempt says why. */
export function declined(intent: IntentRecord, shown: Shown): PlatformError {
  const attempt = intent.attempts.at(-1);
  const { code, declineCode, networkDeclineCode, message } = declineOf(attempt ?? { resultCode: "GW_10001" });
  return new PlatformError(message, {
    ...{ status: 402, type: "card_error", code, paymentIntent: shown(intent), stored: true },
    ...(attempt === undefined ? {} : { charge: attempt.chargeId }),
    ...(declineCode === null ? {} : { declineCode }),
    ...(networkDeclineCode === null ? {} : { networkDeclineCode }),
  });
}
