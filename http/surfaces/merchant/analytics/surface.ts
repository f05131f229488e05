import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { AgentRefusals } from "../../../../engine/reports/agent-refusals.ts";
import type { MerchantReports } from "../../../../engine/reports/merchant-reports.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantSurface } from "../surface.ts";

/** The collaborators of the reports. */
export interface AnalyticsOperations {
  merchantReports: MerchantReports;
  agentRefusals: AgentRefusals;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

/**
 * A report may run for three seconds, and waits no longer than that for its turn
 * (storage/reports/merchant-reports.ts).
 */
export const REPORT_DEADLINE_MS = 6_500;

/**
 * Reports reject unknown filters, because a caller would take the unfiltered figure for the
 * filtered one.
 */
export const analytics = merchantSurface<AnalyticsOperations>({ refusesUnknown: "limits" });
