import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { SubscriptionQuery } from "../../../../engine/subscriptions/subscriptions.ts";
import { requirePersonalData } from "../../../endpoint/personal-data.ts";
import type { LocalTime } from "../../parts/time.ts";
import { rangeOfQuery } from "../transaction-query.ts";
import { SUBSCRIPTION_FILTERS } from "./schemas.ts";

export const SubscriptionFilters = Type.Object(SUBSCRIPTION_FILTERS);

/**
 * Reads the filters of a list of subscriptions. Throws RelayError `invalid_request`, and
 * `forbidden` for a filter by a member that the caller does not see.
 */
export function subscriptionFilterOf(
  query: Static<typeof SubscriptionFilters>,
  caller: Caller,
  localTime: LocalTime,
): Omit<SubscriptionQuery, "limit" | "cursor"> {
  const { state = null, planId = null, customerEmail = null } = query;
  if (customerEmail !== null) requirePersonalData(caller, "customerEmail");
  const { fromMs = null, untilMs = null } = rangeOfQuery(query, localTime);
  return { state, planId, fromMs, beforeMs: untilMs, customerEmail };
}
