import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { AgentRefusals } from "../../../../engine/reports/agent-refusals.ts";
import type { MerchantReports } from "../../../../engine/reports/merchant-reports.ts";
import type { LocalTime } from "../../local-time.ts";
import { merchantSurface } from "../surface.ts";

/** What the reports use. */
export interface AnalyticsOperations {
  merchantReports: MerchantReports;
  agentRefusals: AgentRefusals;
  localTime: LocalTime;
  clock: Pick<Clock, "nowMs">;
}

/** A filter that a report does not have is refused: a figure that leaves it out of account would be taken for what was asked. */
export const analytics = merchantSurface<AnalyticsOperations>({ refusesUnknown: "limits" });
