import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../../engine/access/caller.ts";
import type { PortalLinkQuery } from "../../../../engine/portal-links/portal-links.ts";
import { requirePersonalData } from "../../../endpoint/personal-data.ts";
import type { LocalTime } from "../../parts/time.ts";
import { rangeOfQuery } from "../transaction-query.ts";
import { PAYMENT_LINK_FILTERS } from "./schemas.ts";

export const PaymentLinkFilters = Type.Object(PAYMENT_LINK_FILTERS);

/**
 * Reads the filters of a list of links. Throws RelayError `invalid_request`, and `forbidden` for a
 * filter by a member that the caller does not see.
 */
export function paymentLinkFilterOf(
  query: Static<typeof PaymentLinkFilters>,
  caller: Caller,
  localTime: LocalTime,
): Omit<PortalLinkQuery, "limit" | "cursor"> {
  const { state = null, customerEmail = null, q = null, agentId = null, currency = null } = query;
  if (customerEmail !== null) requirePersonalData(caller, "customerEmail");
  const { fromMs = null, untilMs = null } = rangeOfQuery(query, localTime);
  return { state, fromMs, beforeMs: untilMs, customerEmail, q, agentId, currency };
}
