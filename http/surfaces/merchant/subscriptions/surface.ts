import { Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { Users } from "../../../../engine/accounts/users.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import { RelayError } from "../../../../engine/kernel/errors.ts";
import type { Plans } from "../../../../engine/subscriptions/plans.ts";
import type { RecurringCharges } from "../../../../engine/subscriptions/recurring-charges.ts";
import type { SubscriptionRecord } from "../../../../engine/subscriptions/subscription.ts";
import type { Subscriptions } from "../../../../engine/subscriptions/subscriptions.ts";
import type { RequestContext } from "../../../../engine/workflow/workflow.ts";
import type { LocalTime } from "../../parts/time.ts";
import { refusal } from "../envelope.ts";
import { merchantOf, merchantSurface } from "../surface.ts";

/** What the endpoints of plans, subscriptions and dunning use. */
export interface SubscriptionOperations {
  plans: Plans;
  subscriptions: Pick<Subscriptions, "create" | "find" | "list" | "charges" | "cancel" | "pause" | "resume" | "retry">;
  cardsOnFile: Pick<RecurringCharges, "isOffered">;
  /** The customer's page of the subscription with this token. */
  subscriptionUrl(token: string): string;
  /** Of subscriptions that people made, who they are. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const subscriptions = merchantSurface<SubscriptionOperations>();

/** A card is charged, or a link made, and how it went is part of the answer. */
export const CHARGE_DEADLINE_MS = 20_000;

export const PlanParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "PlanId", description: "`plan_...`" }),
});

export const SubscriptionParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 64, parameterName: "SubscriptionId", description: "`sub_...`" }),
});

/** The one answer for what is not there, is another merchant's, or is of the other environment. */
export function noSuchPlan(): RelayError {
  return new RelayError("not_found", "There is no such plan");
}

/** The same of a subscription. */
export function noSuchSubscription(): RelayError {
  return new RelayError("not_found", "There is no such subscription");
}

/** Ids of what is made are derived from it, so it says whose request it is. */
export function operationOf(caller: Caller, operationId: string, request: { readonly id: string }): RequestContext {
  return { id: `${merchantOf(caller)}/${operationId}`, requestId: request.id };
}

/** When what became of a payment is looked at next, at the earliest. */
const KNOWN_AFTER_SECONDS = 60;

/** An answer with a time to retry is not kept for its idempotency key: the same request again is to be executed. */
export function outcomeUnknown(): RelayError {
  return new RelayError("conflict", "It is not known yet whether the customer was charged; nothing else is asked for before that", {
    ...{ detail: "outcome_unknown", retryAfterSeconds: KNOWN_AFTER_SECONDS },
  });
}

export function notInState({ state }: Pick<SubscriptionRecord, "state">, done: string) {
  return refusal(409, "not_in_state", `The subscription is ${state}: it cannot be ${done}`);
}
