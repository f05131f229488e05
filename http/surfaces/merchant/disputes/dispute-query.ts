import { type Static, Type } from "@sinclair/typebox";
import type { BoardQuery } from "../../../../engine/cases/case-list.ts";
import type { LocalTime } from "../../parts/time.ts";
import { rangeOfQuery } from "../transaction-query.ts";
import { DISPUTE_FILTERS } from "./schemas.ts";

const DAY_MS = 86_400_000;

export const DisputeFilters = Type.Object(DISPUTE_FILTERS);

/** Returns the query of the list. Throws RelayError `invalid_request`. */
export function disputeFilterOf(
  query: Static<typeof DisputeFilters>,
  localTime: LocalTime,
  nowMs: number,
): Omit<BoardQuery, "limit" | "cursor"> {
  const { status = null, stage = null, category = null, dueWithinDays } = query;
  const { terminalId = null, currency = null, q = null, includeAlerts } = query;
  const { fromMs = null, untilMs = null } = rangeOfQuery(query, localTime);
  const dueBeforeMs = dueWithinDays === undefined ? null : nowMs + dueWithinDays * DAY_MS;
  return { status, stage, category, fromMs, beforeMs: untilMs, dueBeforeMs, terminalId, currency, q, includeAlerts };
}
