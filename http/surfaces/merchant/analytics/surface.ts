import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { AgentRefusals } from "../../../../engine/reports/agent-refusals.ts";
import type { MerchantReports } from "../../../../engine/reports/merchant-reports.ts";
import type { LocalTime } from "../../parts/time.ts";
import { merchantSurface } from "../surface.ts";

/** What the reports use. */
export interface AnalyticsOperations {
  merchantReports: MerchantReports;
  agentRefusals: AgentRefusals;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

/** A report has three seconds when it has its turn, and waits for that no longer than it takes (storage/reports/merchant-reports.ts). */
export const REPORT_DEADLINE_MS = 6_500;

/** A filter that a report does not have is refused: a figure that leaves it out of account would be taken for what was asked. */
export const analytics = merchantSurface<AnalyticsOperations>({ refusesUnknown: "limits" });
