import type { CloudConfig } from "../../../engine/domain/cloud-config.ts";
import type { StoredZvtConfig } from "../../../engine/domain/zvt-config.ts";
import type { AdministerCallbacks } from "../../../engine/operations/administer-callbacks.ts";
import type { AdministerPartnerApi } from "../../../engine/operations/administer-partner-api.ts";
import type { AdministerPartners } from "../../../engine/operations/administer-partners.ts";
import type { CheckGateway } from "../../../engine/operations/check-gateway.ts";
import type { ConfigureTerminal } from "../../../engine/operations/configure-terminal.ts";
import type { InstallationAccount } from "../../../engine/operations/installation-account.ts";
import type { SendUtility } from "../../../engine/operations/send-utility.ts";
import type { AuditLog } from "../../../engine/ports/audit-log.ts";
import type { Clock } from "../../../engine/ports/clock.ts";
import type { ClusterNodes } from "../../../engine/ports/cluster-nodes.ts";
import type { GatewayAccounts } from "../../../engine/ports/gateway-accounts.ts";
import type { Overview } from "../../../engine/ports/overview.ts";
import type { Partners } from "../../../engine/ports/partners.ts";
import type { ReceiptCleaner } from "../../../engine/ports/receipt-cleaner.ts";
import type { Terminals } from "../../../engine/ports/terminals.ts";
import type { Administered } from "../../../engine/runtime/administered.ts";
import type { Directory } from "../../../engine/runtime/directory.ts";
import type { TerminalGroups } from "../../../engine/runtime/terminal-groups.ts";
import { surface } from "../../endpoint/surface.ts";
import { relayEnvelope } from "../relay-envelope.ts";

/** What the administration endpoints use. */
export interface AdminOperations {
  sendUtility: SendUtility;
  terminals: Terminals;
  directory: Directory;
  audit: AuditLog;
  clock: Clock;
  receiptCleaner: ReceiptCleaner;
  /** Figures of all nodes together. */
  overview(): Promise<Overview>;
  partners: Partners;
  installationAccount: InstallationAccount;
  gatewayAccounts: GatewayAccounts;
  checkGateway: CheckGateway;
  terminalGroups: TerminalGroups;
  cloudConfigs: Administered<CloudConfig>;
  configureTerminal: ConfigureTerminal;
  serviceSettings: Administered<StoredZvtConfig>;
  administerPartners: AdministerPartners;
  administerPartnerApi: AdministerPartnerApi;
  callbacks: AdministerCallbacks;
  clusterNodes: ClusterNodes;
  /** The derived password of a terminal's login, or null where terminals have none. */
  terminalPassword(terminalId: string): string | null;
}

export const admin = surface<AdminOperations>()({ name: "admin", tags: ["Administration"], envelope: relayEnvelope });
