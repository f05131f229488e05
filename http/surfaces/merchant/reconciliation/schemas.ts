import { type Static, Type } from "@sinclair/typebox";
import { type ReconciledDayJson, ReconciledDaySchema, ReconciliationTotals } from "../../parts/reconciliation-json.ts";
import { DAY } from "../../parts/time.ts";
import { listOf, time } from "../schema-parts.ts";

/** The JSON of reconciliation: endpoints declare it, pages take their types from it. */

export { ReconciledDaySchema };

/** GET /reconciliation: one line for each day. */
export const ReconciliationItem = Type.Object(
  {
    day: Type.String(),
    closedAt: time("when it was closed."),
    totals: Type.Array(ReconciliationTotals),
    unknown: Type.Integer({ description: "Payments of which nobody knew whether they were made." }),
    conflicting: Type.Integer({ description: "Payments with different results." }),
    corrections: Type.Integer({ description: "Changes since it was closed." }),
  },
  { title: "ReconciliationDaySummary" },
);
export const ReconciliationPage = listOf(ReconciliationItem);

/** Filters of GET /reconciliation, beside PAGE_QUERY. */
export const RECONCILIATION_FILTERS = {
  from: Type.Optional(Type.String({ ...DAY, description: "This day or later." })),
  to: Type.Optional(Type.String({ ...DAY, description: "This day or earlier." })),
};

export type ReconciliationItemJson = Static<typeof ReconciliationItem>;
export type { ReconciledDayJson };
