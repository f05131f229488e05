import type { PlanRecord } from "../../../../engine/subscriptions/plan.ts";
import { iso } from "../../../endpoint/time.ts";
import type { PlanJson } from "./schemas.ts";

export function planJson({ id, terms, active, used, createdAtMs, updatedAtMs }: PlanRecord): PlanJson {
  const { name, amountMinor, currency, interval, count, trialDays } = terms;
  return {
    ...{ id, name, amountMinor, currency, interval, count, trialDays, active, used },
    ...{ createdAt: iso(createdAtMs), updatedAt: iso(updatedAtMs) },
  };
}

export const PLAN_EXAMPLE: PlanJson = {
  ...{ id: "plan_9x7q1c8v5b3n6z0a2s4f0k2m", name: "Gym, monthly", amountMinor: 2_900, currency: "EUR", interval: "MONTH", count: 1 },
  ...{ trialDays: 0, active: true, used: false, createdAt: "2026-01-31T09:00:00.000Z", updatedAt: "2026-01-31T09:00:00.000Z" },
};
