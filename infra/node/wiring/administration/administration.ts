import type { CardGateway } from "../../../../engine/gateway/card-gateway.ts";
import { type CheckGateway, createCheckGateway } from "../../../../engine/gateway/check-gateway.ts";
import type { GatewayAccount } from "../../../../engine/gateway/gateway-account.ts";
import { createInstallationAccount, type InstallationAccount } from "../../../../engine/gateway/installation-account.ts";
import type { Clock } from "../../../../engine/kernel/clock.ts";
import type { Ids } from "../../../../engine/kernel/ids.ts";
import type { Kv } from "../../../../engine/kernel/kv.ts";
import type { SecretBox } from "../../../../engine/kernel/secret-box.ts";
import { createGatewayAccounts, type GatewayAccounts } from "../../../../engine/links/gateway-accounts.ts";
import { type AuditLog, createAuditStore } from "../../../../engine/operators/audit-store.ts";
import type { MerchantOwner } from "../../../../engine/partners/merchant.ts";
import { createMerchantStore } from "../../../../engine/partners/merchant-store.ts";
import type { Partners } from "../../../../engine/partners/partners.ts";
import type { CloudConfig } from "../../../../engine/settings/cloud-config.ts";
import { type ConfigureTerminal, createConfigureTerminal } from "../../../../engine/settings/configure-terminal.ts";
import { createRecordStore, GATEWAY_ACCOUNTS } from "../../../../engine/tables/record-store.ts";
import type { AdministeredRecords, ReplicatedRecords, Tables } from "../../../../engine/tables/replicated-table.ts";
import { createReceiptCleaner, type ReceiptCleaner } from "../../../../engine/terminals/receipt-cleaner.ts";
import type { Terminals } from "../../../../engine/terminals/terminals.ts";
import { DEMO_PARTNER_USERNAME } from "../../boot/sandbox-names.ts";

export interface AdministrationParts {
  kv: Kv;
  tables: Tables;
  box: SecretBox;
  clock: Clock;
  machineClock: Clock;
  ids: Ids;
  terminals: Terminals;
  partners: Partners;
  cloudConfigs: AdministeredRecords<CloudConfig>;
  gateway: CardGateway;
  retentionMs: number;
  /** Unique among all writers. */
  writer: string;
  failed(what: string, error: unknown): void;
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
}

/**
 * Administrative settings other than partners and access, in this shard's memory, with the
 * operations that change them.
 */
export interface AdministrationOperations {
  gatewayAccounts: GatewayAccounts;
  installationAccount: InstallationAccount;
  checkGateway: CheckGateway;
  cloudConfigs: AdministeredRecords<CloudConfig>;
  configureTerminal: ConfigureTerminal;
  receiptCleaner: ReceiptCleaner;
  audit: AuditLog;
}

export function composeAdministration(parts: AdministrationParts): AdministrationOperations {
  const { kv, tables, box, clock, machineClock, ids, terminals, partners, cloudConfigs, gateway, retentionMs, writer, failed } = parts;
  const { merchantOwners } = parts;
  const accounts = tables.administered(createRecordStore<GatewayAccount>(kv, GATEWAY_ACCOUNTS));
  return {
    gatewayAccounts: createGatewayAccounts({
      ...{ partners, box, installation: accounts, cloudConfigs, merchantOwners },
      // Production does not call this (`Partners`).
      defaultPartner: () => {
        const demo = partners.byUsername(DEMO_PARTNER_USERNAME);
        return demo?.record.sandbox === true ? demo : null;
      },
    }),
    installationAccount: createInstallationAccount({ accounts, box, clock }),
    checkGateway: createCheckGateway({ gateway, ids }),
    cloudConfigs,
    configureTerminal: createConfigureTerminal({ configs: cloudConfigs, merchants: createMerchantStore(kv), terminals, clock, ids }),
    receiptCleaner: createReceiptCleaner({ kv, monotonicMs: machineClock.monotonicMs, retentionMs, failed }),
    audit: createAuditStore({ kv, writer, failed }),
  };
}
