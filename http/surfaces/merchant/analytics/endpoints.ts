import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { agentsReport } from "./agents-report.ts";
import { disputesReport } from "./disputes-report.ts";
import { heatmapReport } from "./heatmap-report.ts";
import { linksReport } from "./links-report.ts";
import { methodsReport } from "./methods-report.ts";
import { paymentsReport } from "./payments-report.ts";
import { subscriptionsReport } from "./subscriptions-report.ts";
import type { AnalyticsOperations } from "./surface.ts";
import { terminalsReport } from "./terminals-report.ts";

/** The endpoints of a merchant's reports, for its people and for its keys. */
export const analyticsEndpoints: Endpoint<AnalyticsOperations & MerchantOperations>[] = [
  paymentsReport,
  methodsReport,
  terminalsReport,
  heatmapReport,
  linksReport,
  disputesReport,
  subscriptionsReport,
  agentsReport,
];
