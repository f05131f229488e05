import type { Endpoint } from "../../../endpoint/endpoint.ts";
import type { MerchantOperations } from "../surface.ts";
import { declineAlert } from "./decline-alert.ts";
import { listAlerts } from "./list-alerts.ts";
import { refundAlert } from "./refund-alert.ts";
import { saveAlertRules } from "./save-rules.ts";
import { showAlert } from "./show-alert.ts";
import { showAlertRules } from "./show-rules.ts";
import type { AlertOperations } from "./surface.ts";
import { tryAlertRules } from "./try-rules.ts";

/**
 * The endpoints of a merchant's pre-dispute alerts and their rules, for its people and its secret
 * key.
 */
export const alertEndpoints: Endpoint<AlertOperations & MerchantOperations>[] = [
  listAlerts,
  showAlert,
  refundAlert,
  declineAlert,
  showAlertRules,
  saveAlertRules,
  tryAlertRules,
];
