import type { Endpoint } from "../../endpoint/endpoint.ts";
import { administratorEndpoints } from "./administrators/endpoints.ts";
import { listAttention, removeAttention } from "./attention.ts";
import { listAudit } from "./audit.ts";
import { listCallbacks, resendCallback } from "./callbacks.ts";
import { clearingEndpoints } from "./clearing.ts";
import { cloudConfigEndpoints } from "./cloud-configs.ts";
import { showCluster } from "./cluster.ts";
import { showDashboard } from "./dashboard.ts";
import { drainNode } from "./drain-node.ts";
import { fleetActionEndpoints } from "./fleet/fleet-actions.ts";
import { listFleet, showFleet } from "./fleet/list-fleet.ts";
import { gatewayAccountEndpoints } from "./gateway-account.ts";
import { machineTokenEndpoints } from "./machine-tokens/endpoints.ts";
import { mailEndpoints } from "./mails.ts";
import { merchantEndpoints } from "./merchants.ts";
import { partnerEndpoints } from "./partners/endpoints.ts";
import { portalUserEndpoints } from "./portal-users.ts";
import { type SearchOperations, searchAll } from "./search.ts";
import { sendCommand } from "./send-command.ts";
import { listSubscriptionRules, saveSubscriptionRule, testSubscriptionRule } from "./subscription-rules.ts";
import type { AdminOperations } from "./surface.ts";
import { terminalGroupEndpoints } from "./terminal-groups.ts";
import { showTerminalLife } from "./terminal-life.ts";
import { allowTerminal, denyTerminal, listTerminals, showTerminal, showTerminalCredentials } from "./terminals.ts";
import { webhookEndpoints } from "./webhooks.ts";
import { zvtEndpoints } from "./zvt.ts";

/** Administration of terminals, and the relay's own endpoints for operators. */
export const adminEndpoints: Endpoint<AdminOperations & SearchOperations>[] = [
  sendCommand,
  listSubscriptionRules,
  saveSubscriptionRule,
  testSubscriptionRule,
  listTerminals,
  showTerminal,
  showFleet,
  listFleet,
  ...fleetActionEndpoints,
  showTerminalLife,
  showTerminalCredentials,
  denyTerminal,
  allowTerminal,
  listAttention,
  removeAttention,
  searchAll,
  listAudit,
  showCluster,
  drainNode,
  ...administratorEndpoints,
  ...machineTokenEndpoints,
  ...partnerEndpoints,
  ...merchantEndpoints,
  ...portalUserEndpoints,
  listCallbacks,
  resendCallback,
  ...webhookEndpoints,
  ...mailEndpoints,
  ...terminalGroupEndpoints,
  ...cloudConfigEndpoints,
  ...gatewayAccountEndpoints,
  ...zvtEndpoints,
  ...clearingEndpoints,
  showDashboard,
];
