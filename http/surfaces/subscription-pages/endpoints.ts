import type { Endpoint } from "../../endpoint/endpoint.ts";
import { cancelOwnSubscription, paySubscription } from "./press-buttons.ts";
import { subscriptionCancelPage, subscriptionPage } from "./subscription-page.ts";
import type { SubscriptionPageOperations } from "./surface.ts";

/** What the customer of a subscription sees of the relay. */
export const subscriptionPageEndpoints: Endpoint<SubscriptionPageOperations>[] = [
  subscriptionPage,
  subscriptionCancelPage,
  paySubscription,
  cancelOwnSubscription,
];
