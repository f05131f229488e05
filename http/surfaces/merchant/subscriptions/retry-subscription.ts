import { RelayError } from "../../../../engine/kernel/errors.ts";
import { retryFromMs } from "../../../../engine/subscriptions/rules.ts";
import { ATTEMPTS_MAX } from "../../../../engine/subscriptions/subscription.ts";
import { refusal } from "../envelope.ts";
import { CHANGED, CHARGE_DEADLINE_MS, notInState, oneSubscription, operationOf, outcomeUnknown } from "./surface.ts";

export const retrySubscription = oneSubscription.action({
  name: "retrySubscription",
  method: "POST",
  path: "/retry",
  summary: "Start a payment of an unpaid cycle",
  description: "Charges the card on file, or reminds the customer of the link. Permitted once an hour.",
  may: "operate",
  noStepUp: "It collects what is owed to the merchant, once in an hour, and gives no money away.",
  deadlineMs: CHARGE_DEADLINE_MS,
  idempotency: "sealed",
  audit: { action: "subscription.retry" },
  done: CHANGED,
  conflict: `Nothing is unpaid, or the subscription is paused or cancelled (not_in_state). Or it is unknown whether the customer was charged (outcome_unknown), or a payment was requested within the last hour (too_soon), both with \`Retry-After\`. Or ${ATTEMPTS_MAX} attempts were made for this cycle (too_many), or the merchant is deactivated (inactive).`,
  run: async ({ subscriptions, clock }, owner, { caller, params, operationId, request }) => {
    const outcome = await subscriptions.retry(owner, params.id, operationOf(caller, operationId, request));
    switch (outcome?.type) {
      case undefined:
        return null;
      case "not_in_state":
        return notInState(outcome.subscription, "asked for again");
      case "outcome_unknown":
        throw outcomeUnknown();
      case "too_soon": {
        const nowMs = clock.nowMs();
        const waitMs = (retryFromMs(outcome.subscription, nowMs) ?? nowMs) - nowMs;
        throw new RelayError("conflict", "A payment was requested within the last hour; wait before you request it again", {
          ...{ detail: "too_soon", retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) },
        });
      }
      case "too_many":
        return refusal(409, "too_many", `${ATTEMPTS_MAX} attempts were made for this cycle; cancel, or pause and resume the subscription`);
      case "inactive":
        return refusal(409, "inactive", "The merchant is deactivated");
      case "retried":
        return { done: outcome.subscription };
    }
  },
});
