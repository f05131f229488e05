import type { GatewayCredentials } from "../gateway/gateway.ts";
import {
  accountOfMerchant,
  GATEWAY_ACCOUNT_KEY,
  GATEWAY_ACCOUNT_PLACE,
  type GatewayAccount,
  type SealedGatewayAccount,
} from "../gateway/gateway-account.ts";
import type { GatewayAccounts } from "../gateway/gateway-accounts-port.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MerchantOwner } from "../partners/merchant.ts";
import { partnerPlace } from "../partners/partner.ts";
import type { Partner, Partners } from "../partners/partners-port.ts";
import type { CloudConfig } from "../settings/cloud-config.ts";
import type { Replica } from "../tables/replicated-table.ts";

export interface GatewayAccountsOptions {
  partners: Partners;
  box: SecretBox;
  installation: Pick<Replica<GatewayAccount>, "get">;
  cloudConfigs: Pick<Replica<CloudConfig>, "get">;
  /** Whose a merchant is; undefined where there is no such merchant. */
  merchantOwners: Pick<Replica<MerchantOwner>, "get">;
}

/** Gateway accounts out of what is in memory; secrets are opened when they are asked for and kept nowhere. */
export function createGatewayAccounts({
  partners,
  box,
  installation,
  cloudConfigs,
  merchantOwners,
}: GatewayAccountsOptions): GatewayAccounts {
  function accountOf(partner: Partner | null, merchant?: string): GatewayCredentials | null {
    if (partner === null) return null;
    const { id, gateway, formerGateways } = partner.record;
    return opened(accountOfMerchant(gateway, formerGateways, merchant), partnerPlace(id, "gwSecretKey"));
  }

  function own(merchant?: string): GatewayCredentials | null {
    const account = installation.get(GATEWAY_ACCOUNT_KEY);
    return account === undefined ? null : opened(accountOfMerchant(account, account.former, merchant), GATEWAY_ACCOUNT_PLACE);
  }

  function opened(account: SealedGatewayAccount | null, place: string): GatewayCredentials | null {
    if (account === null) return null;
    const { terminalId, merchantId, sealedSecret } = account;
    return { terminalId, merchantId, secret: box.open(sealedSecret, place) };
  }

  function merchantOwnerOf(terminalId: string): MerchantOwner | null {
    const merchantId = cloudConfigs.get(terminalId)?.merchantId ?? null;
    return merchantId === null ? null : (merchantOwners.get(merchantId) ?? null);
  }

  return {
    ofPartner: (partnerId) => accountOf(partners.byId(partnerId)),
    ofTerminal: (terminalId) => {
      const partnerId = merchantOwnerOf(terminalId)?.partnerId ?? null;
      const partner = partnerId === null ? null : partners.byId(partnerId);
      // Terminals of a partner that is disabled or gone take no money for it, and none for anybody else.
      if (partnerId !== null && partner?.record.enabled !== true) return null;
      const credentials = partner === null ? own() : accountOf(partner);
      return credentials === null ? null : { partnerId: partner === null ? null : partner.record.id, credentials };
    },
    isMerchantInactive: (terminalId) => merchantOwnerOf(terminalId)?.inactive === true,
    ofPayment: (partnerId, merchantId) => (partnerId === null ? own(merchantId) : accountOf(partners.everById(partnerId), merchantId)),
  };
}
