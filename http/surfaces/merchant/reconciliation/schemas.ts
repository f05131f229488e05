import { type Static, Type } from "@sinclair/typebox";
import { type ReconciledDayJson, ReconciledDaySchema, ReconciliationTotals } from "../../parts/reconciliation-json.ts";
import { DAY } from "../../parts/time.ts";
import { listOf, time } from "../schema-parts.ts";

/** The JSON of reconciliation. Endpoints declare it, and pages take their types from it. */

export { ReconciledDaySchema };

/** GET /reconciliation has one line for each day. */
export const ReconciliationItem = Type.Object(
  {
    day: Type.String(),
    closedAt: Type.Union([time("when the day was closed."), Type.Null()], {
      description: "ISO 8601 in UTC: when the day was closed. Null for a day without any activity, which has no figures and is 404 itself.",
    }),
    totals: Type.Array(ReconciliationTotals),
    unknown: Type.Integer({ description: "Number of payments whose outcome was unknown." }),
    conflicting: Type.Integer({ description: "Number of payments with different results." }),
    corrections: Type.Integer({ description: "Number of changes since the day was closed." }),
  },
  { title: "ReconciliationDaySummary" },
);
export const ReconciliationPage = listOf(ReconciliationItem);

/** The filters of GET /reconciliation, without PAGE_QUERY. */
export const RECONCILIATION_FILTERS = {
  from: Type.Optional(Type.String({ ...DAY, description: "Only this day or later." })),
  to: Type.Optional(Type.String({ ...DAY, description: "Only this day or earlier." })),
  activeOnly: Type.Optional(Type.Boolean({ default: false, description: "Leaves out the days without any activity." })),
};

export type ReconciliationItemJson = Static<typeof ReconciliationItem>;
export type { ReconciledDayJson };
