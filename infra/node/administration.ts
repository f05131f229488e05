import type { CloudConfig } from "../../engine/domain/cloud-config.ts";
import type { GatewayAccount } from "../../engine/domain/gateway-account.ts";
import type { TerminalGroup } from "../../engine/domain/terminal-group.ts";
import type { PatternCompiler } from "../../engine/domain/terminal-rule.ts";
import type { StoredZvtConfig } from "../../engine/domain/zvt-config.ts";
import type { AdministerPartners } from "../../engine/operations/administer-partners.ts";
import { type ConfigureTerminal, createConfigureTerminal } from "../../engine/operations/configure-terminal.ts";
import { createInstallationAccount, type InstallationAccount } from "../../engine/operations/installation-account.ts";
import type { AuditLog } from "../../engine/ports/audit-log.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { GatewayAccounts } from "../../engine/ports/gateway-accounts.ts";
import type { Ids } from "../../engine/ports/ids.ts";
import type { Partners } from "../../engine/ports/partners.ts";
import type { SecretBox } from "../../engine/ports/secret-box.ts";
import type { Terminals } from "../../engine/ports/terminals.ts";
import { type Administered, createAdministered } from "../../engine/runtime/administered.ts";
import { createGatewayAccounts } from "../../engine/runtime/gateway-accounts.ts";
import type { Tables } from "../../engine/runtime/tables.ts";
import { createTerminalGroups, type TerminalGroups } from "../../engine/runtime/terminal-groups.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import { createAuditStore } from "../../storage/stores/audit-store.ts";
import {
  CLOUD_CONFIGS,
  createRecordStore,
  GATEWAY_ACCOUNTS,
  SERVICE_SETTINGS,
  TERMINAL_GROUPS,
} from "../../storage/stores/record-store.ts";
import type { Config } from "./config.ts";
import { composePartners } from "./partners.ts";
import { createSecretBox } from "./secret-box.ts";

export interface AdministrationParts {
  config: Config;
  kv: Kv;
  tables: Tables;
  patterns: PatternCompiler;
  clock: Clock;
  ids: Ids;
  terminals: Terminals;
  /** Unique among all writers. */
  writer: string;
  failed(what: string, error: unknown): void;
  /** Terminals may have lost the right to take others' topics. */
  groupsChanged(): void;
  /** The partner that a merchant belongs to; null where there is no such merchant. */
  partnerOfMerchant(merchantId: string): number | null;
}

/** What is administered, in memory of this shard, and what changes it. */
export interface Administration {
  box: SecretBox;
  partners: Partners;
  administerPartners: AdministerPartners;
  gatewayAccounts: GatewayAccounts;
  installationAccount: InstallationAccount;
  terminalGroups: TerminalGroups;
  cloudConfigs: Administered<CloudConfig>;
  configureTerminal: ConfigureTerminal;
  serviceSettings: Administered<StoredZvtConfig>;
  audit: AuditLog;
}

export function composeAdministration(parts: AdministrationParts): Administration {
  const { config, kv, tables, patterns, clock, ids, terminals, writer, failed, groupsChanged, partnerOfMerchant } = parts;
  const box = createSecretBox(config.secretKeys);
  const { partners, administerPartners } = composePartners({ config, kv, tables, box, patterns, clock });
  const accounts = createAdministered(tables, createRecordStore<GatewayAccount>(kv, GATEWAY_ACCOUNTS));
  const cloudConfigs = createAdministered(tables, createRecordStore<CloudConfig>(kv, CLOUD_CONFIGS));
  const groupStore = createRecordStore<TerminalGroup>(kv, TERMINAL_GROUPS);
  return {
    box,
    partners,
    administerPartners,
    gatewayAccounts: createGatewayAccounts({ partners, box, installation: accounts, cloudConfigs, partnerOfMerchant }),
    installationAccount: createInstallationAccount({ accounts, box, clock }),
    terminalGroups: createTerminalGroups({ tables, store: groupStore, changed: groupsChanged }),
    cloudConfigs,
    configureTerminal: createConfigureTerminal({ configs: cloudConfigs, terminals, clock, ids }),
    serviceSettings: createAdministered(tables, createRecordStore<StoredZvtConfig>(kv, SERVICE_SETTINGS)),
    audit: createAuditStore({ kv, writer, failed }),
  };
}
