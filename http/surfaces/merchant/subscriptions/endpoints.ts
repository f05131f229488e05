import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { cancelSubscription } from "./cancel-subscription.ts";
import { changePlan } from "./change-plan.ts";
import { createPlan } from "./create-plan.ts";
import { createSubscription } from "./create-subscription.ts";
import { setDunning, showDunning } from "./dunning.ts";
import { listPlans } from "./list-plans.ts";
import { listSubscriptions } from "./list-subscriptions.ts";
import { pauseSubscription } from "./pause-subscription.ts";
import { removePlan } from "./remove-plan.ts";
import { resumeSubscription } from "./resume-subscription.ts";
import { retrySubscription } from "./retry-subscription.ts";
import { showPlan } from "./show-plan.ts";
import { showSubscription } from "./show-subscription.ts";
import type { SubscriptionOperations } from "./surface.ts";

/**
 * The endpoints of a merchant's plans, subscriptions and dunning policy, for its people and for its
 * keys.
 */
export const subscriptionEndpoints: Endpoint<SubscriptionOperations & MerchantOperations>[] = [
  listPlans,
  createPlan,
  showPlan,
  changePlan,
  removePlan,
  listSubscriptions,
  createSubscription,
  showSubscription,
  cancelSubscription,
  pauseSubscription,
  resumeSubscription,
  retrySubscription,
  showDunning,
  setDunning,
];
