import type { CloudConfig } from "../../engine/domain/cloud-config.ts";
import type { GatewayAccount } from "../../engine/domain/gateway-account.ts";
import type { MerchantOwner } from "../../engine/domain/merchant.ts";
import type { StoredZvtConfig } from "../../engine/domain/zvt-config.ts";
import { type CheckGateway, createCheckGateway } from "../../engine/operations/check-gateway.ts";
import { type ConfigureTerminal, createConfigureTerminal } from "../../engine/operations/configure-terminal.ts";
import { createInstallationAccount, type InstallationAccount } from "../../engine/operations/installation-account.ts";
import type { AuditLog } from "../../engine/ports/audit-log.ts";
import type { CardGateway } from "../../engine/ports/card-gateway.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { GatewayAccounts } from "../../engine/ports/gateway-accounts.ts";
import type { Ids } from "../../engine/ports/ids.ts";
import type { Partners } from "../../engine/ports/partners.ts";
import type { ReceiptCleaner } from "../../engine/ports/receipt-cleaner.ts";
import type { SecretBox } from "../../engine/ports/secret-box.ts";
import type { Terminals } from "../../engine/ports/terminals.ts";
import { type Administered, createAdministered } from "../../engine/runtime/administered.ts";
import { createGatewayAccounts } from "../../engine/runtime/gateway-accounts.ts";
import type { Replica, Tables } from "../../engine/runtime/tables.ts";
import type { Kv } from "../../storage/kv/kv.ts";
import { createAuditStore } from "../../storage/stores/audit-store.ts";
import { createReceiptCleaner } from "../../storage/stores/receipt-cleaner.ts";
import { createRecordStore, GATEWAY_ACCOUNTS, SERVICE_SETTINGS } from "../../storage/stores/record-store.ts";

export interface AdministrationParts {
  kv: Kv;
  tables: Tables;
  box: SecretBox;
  clock: Clock;
  machineClock: Clock;
  ids: Ids;
  terminals: Terminals;
  partners: Partners;
  cloudConfigs: Administered<CloudConfig>;
  gateway: CardGateway;
  retentionMs: number;
  /** Unique among all writers. */
  writer: string;
  failed(what: string, error: unknown): void;
  merchantOwners: Pick<Replica<MerchantOwner>, "get">;
}

/** What is administered beside partners and access, in memory of this shard, and what changes it. */
export interface AdministrationOperations {
  gatewayAccounts: GatewayAccounts;
  installationAccount: InstallationAccount;
  checkGateway: CheckGateway;
  cloudConfigs: Administered<CloudConfig>;
  configureTerminal: ConfigureTerminal;
  serviceSettings: Administered<StoredZvtConfig>;
  receiptCleaner: ReceiptCleaner;
  audit: AuditLog;
}

export function composeAdministration(parts: AdministrationParts): AdministrationOperations {
  const { kv, tables, box, clock, machineClock, ids, terminals, partners, cloudConfigs, gateway, retentionMs, writer, failed } = parts;
  const { merchantOwners } = parts;
  const accounts = createAdministered(tables, createRecordStore<GatewayAccount>(kv, GATEWAY_ACCOUNTS));
  return {
    gatewayAccounts: createGatewayAccounts({ partners, box, installation: accounts, cloudConfigs, merchantOwners }),
    installationAccount: createInstallationAccount({ accounts, box, clock }),
    checkGateway: createCheckGateway({ gateway, ids }),
    cloudConfigs,
    configureTerminal: createConfigureTerminal({ configs: cloudConfigs, terminals, clock, ids }),
    serviceSettings: createAdministered(tables, createRecordStore<StoredZvtConfig>(kv, SERVICE_SETTINGS)),
    receiptCleaner: createReceiptCleaner({ kv, monotonicMs: machineClock.monotonicMs, retentionMs, failed }),
    audit: createAuditStore({ kv, writer, failed }),
  };
}
