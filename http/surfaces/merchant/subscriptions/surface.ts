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
import { actorContext } from "../actor-names.ts";
import { refusal } from "../envelope.ts";
import { oneOf } from "../resource-endpoints.ts";
import { merchantOf, merchantOwnerOf, merchantSurface } from "../surface.ts";
import { plan } from "./plan-schemas.ts";
import { CHARGES_PAGE, type SubscriptionContext, subscription } from "./schemas.ts";

/** The collaborators of the endpoints of plans, subscriptions and dunning. */
export interface SubscriptionOperations {
  plans: Plans;
  subscriptions: Pick<Subscriptions, "create" | "find" | "list" | "charges" | "cancel" | "pause" | "resume" | "retry">;
  cardsOnFile: Pick<RecurringCharges, "isOffered">;
  /** Returns the URL of the customer's page of the subscription with this token. */
  subscriptionUrl(token: string): string;
  /** Names the people who created subscriptions. */
  users: Pick<Users, "list">;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

export const subscriptions = merchantSurface<SubscriptionOperations>();

/** These changes charge a card or create a link, and the response contains the outcome. */
export const CHARGE_DEADLINE_MS = 20_000;

/** The response of changes that have no body. */
export const CHANGED = { description: "The subscription.", sharedName: "SubscriptionChanged" };

export const onePlan = oneOf(subscriptions, {
  noun: "plan",
  path: "/plans",
  idParameter: { parameterName: "PlanId", description: "`plan_...`" },
  resource: plan,
  find: ({ plans }, owner, id) => plans.find(owner, id),
  context: (_, caller) => ({ caller }),
});

export const oneSubscription = oneOf(subscriptions, {
  noun: "subscription",
  path: "/subscriptions",
  idParameter: { parameterName: "SubscriptionId", description: "`sub_...`" },
  resource: subscription,
  find: ({ subscriptions: ofMerchant }, owner, id) => ofMerchant.find(owner, id),
  context: (operations, caller, [record]) => subscriptionDetailContext(operations, caller, record, null),
});

/** Returns the context of a list page, whose items have no charges. */
export async function subscriptionContext(
  operations: Pick<SubscriptionOperations, "users" | "clock" | "subscriptionUrl">,
  caller: Caller,
  records: readonly SubscriptionRecord[],
): Promise<SubscriptionContext> {
  const creators = records.map(({ createdBy }) => createdBy);
  return { ...(await actorContext(operations, caller, creators)), urlOf: operations.subscriptionUrl, charges: [] };
}

/** Returns the context of one subscription, with its latest payments or those before a cycle. */
export async function subscriptionDetailContext(
  operations: SubscriptionOperations,
  caller: Caller,
  record: SubscriptionRecord,
  beforeCycle: number | null,
): Promise<SubscriptionContext> {
  const [context, charges] = await Promise.all([
    subscriptionContext(operations, caller, [record]),
    operations.subscriptions.charges(merchantOwnerOf(caller), record.id, beforeCycle, CHARGES_PAGE + 1),
  ]);
  if (charges === null) throw oneSubscription.notFound();
  return { ...context, charges };
}

/** Ids of created records are derived from the operation id, so it includes the merchant. */
export function operationOf(caller: Caller, operationId: string, request: { readonly id: string }): RequestContext {
  return { id: `${merchantOf(caller)}/${operationId}`, requestId: request.id };
}

/** The earliest time after which the relay checks the outcome of a payment again. */
const KNOWN_AFTER_SECONDS = 60;

/**
 * An error with a time to retry is not stored for its idempotency key, so the repeated request is
 * executed.
 */
export function outcomeUnknown(): RelayError {
  return new RelayError(
    "conflict",
    "It is not known yet whether the customer was charged; the relay requests no other payment before that is known",
    {
      ...{ detail: "outcome_unknown", retryAfterSeconds: KNOWN_AFTER_SECONDS },
    },
  );
}

export function notInState({ state }: Pick<SubscriptionRecord, "state">, done: string) {
  return refusal(409, "not_in_state", `The subscription is ${state}: it cannot be ${done}`);
}
