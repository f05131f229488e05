import type { AdministerAdministrators } from "../../../engine/access/administer-administrators.ts";
import type { Administrators } from "../../../engine/access/administrators.ts";
import type { Directory } from "../../../engine/access/directory.ts";
import type { AdministerMachineTokens, MachineTokens } from "../../../engine/access/machine-tokens.ts";
import type { ResetFactors } from "../../../engine/accounts/reset-factors.ts";
import type { Users } from "../../../engine/accounts/users.ts";
import type { AdministerCallbacks } from "../../../engine/callbacks/administer-callbacks.ts";
import type { FleetActions } from "../../../engine/fleet/actions.ts";
import type { Fleet } from "../../../engine/fleet/fleet.ts";
import type { CheckGateway } from "../../../engine/gateway/check-gateway.ts";
import type { InstallationAccount } from "../../../engine/gateway/installation-account.ts";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { GatewayAccounts } from "../../../engine/links/gateway-accounts.ts";
import type { AdministerMails } from "../../../engine/mails/administer-mails.ts";
import type { AuditLog } from "../../../engine/operators/audit-store.ts";
import type { ClusterNodes } from "../../../engine/operators/cluster-nodes.ts";
import type { Overview } from "../../../engine/operators/overview.ts";
import type { TerminalLogStore } from "../../../engine/operators/terminal-log-store.ts";
import type { AdministerMerchants } from "../../../engine/partners/administer-merchants.ts";
import type { AdministerPartnerApi } from "../../../engine/partners/administer-partner-api.ts";
import type { AdministerPartners } from "../../../engine/partners/administer-partners.ts";
import type { Partners } from "../../../engine/partners/partners.ts";
import type { CloudConfig } from "../../../engine/settings/cloud-config.ts";
import type { ConfigureTerminal } from "../../../engine/settings/configure-terminal.ts";
import type { TerminalGroups } from "../../../engine/settings/terminal-groups.ts";
import { type AdministeredRecords, PROPAGATION_DEADLINE_MS } from "../../../engine/tables/replicated-table.ts";
import type { FindTransaction } from "../../../engine/terminals/find-transaction.ts";
import type { ReceiptCleaner } from "../../../engine/terminals/receipt-cleaner.ts";
import type { SendUtility } from "../../../engine/terminals/send-payment.ts";
import type { Terminals } from "../../../engine/terminals/terminals.ts";
import type { AdministerWebhooks } from "../../../engine/webhooks/administer-webhooks.ts";
import type { AdministerZvt } from "../../../engine/zvt/administer-zvt.ts";
import { surface } from "../../endpoint/surface.ts";
import { adminEnvelope } from "./envelope.ts";

/** What the administration endpoints use. */
export interface AdminOperations {
  sendUtility: SendUtility;
  terminals: Terminals;
  findTransaction: FindTransaction;
  /** What terminals have logged. */
  logs: TerminalLogStore;
  directory: Directory;
  fleet: Fleet;
  fleetActions: FleetActions;
  audit: AuditLog;
  clock: Clock;
  receiptCleaner: ReceiptCleaner;
  /** Figures of all nodes together. */
  overview(): Promise<Overview>;
  administrators: Administrators;
  administerAdministrators: AdministerAdministrators;
  machineTokens: MachineTokens;
  administerMachineTokens: AdministerMachineTokens;
  partners: Partners;
  installationAccount: InstallationAccount;
  gatewayAccounts: GatewayAccounts;
  checkGateway: CheckGateway;
  terminalGroups: TerminalGroups;
  cloudConfigs: AdministeredRecords<CloudConfig>;
  configureTerminal: ConfigureTerminal;
  administerZvt: AdministerZvt;
  administerPartners: AdministerPartners;
  administerPartnerApi: AdministerPartnerApi;
  administerMerchants: AdministerMerchants;
  users: Users;
  resetFactors: ResetFactors;
  callbacks: AdministerCallbacks;
  administerWebhooks: AdministerWebhooks;
  administerMails: AdministerMails;
  clusterNodes: ClusterNodes;
  /** The derived password of a terminal's login, or null where terminals have none. */
  terminalPassword(terminalId: string): string | null;
}

export const ADMIN_SURFACE = {
  name: "admin",
  tags: ["Administration"],
  envelope: adminEnvelope,
  changeDeadlineMs: PROPAGATION_DEADLINE_MS,
};

export const admin = surface<AdminOperations>()(ADMIN_SURFACE);

/** The same surface for endpoints that use no more than one of its operations, so that they can be served by themselves. */
export const adminOfWebhooks = surface<Pick<AdminOperations, "administerWebhooks">>()(ADMIN_SURFACE);

export const adminOfMails = surface<Pick<AdminOperations, "administerMails">>()(ADMIN_SURFACE);
