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

/** What changes without a body answer with. */
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

/** The context of a page, whose items have no charges. */
export async function subscriptionContext(
  operations: Pick<SubscriptionOperations, "users" | "clock" | "subscriptionUrl">,
  caller: Caller,
  records: readonly SubscriptionRecord[],
): Promise<SubscriptionContext> {
  const creators = records.map(({ createdBy }) => createdBy);
  return { ...(await actorContext(operations, caller, creators)), urlOf: operations.subscriptionUrl, charges: [] };
}

/** The context of one subscription, with its latest payments or those before a cycle. */
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

/** Ids of what is made are derived from it, so it says whose request it is. */
export function operationOf(caller: Caller, operationId: string, request: { readonly id: string }): RequestContext {
  return { id: `${merchantOf(caller)}/${operationId}`, requestId: request.id };
}

/** When what became of a payment is looked at next, at the earliest. */
const KNOWN_AFTER_SECONDS = 60;

/** An answer with a time to retry is not kept for its idempotency key: the same request again is to be executed. */
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
