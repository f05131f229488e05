import type { GatewayCredentials } from "../gateway/gateway.ts";
import {
  accountOfMerchant,
  GATEWAY_ACCOUNT_KEY,
  GATEWAY_ACCOUNT_PLACE,
  type GatewayAccount,
  type SealedGatewayAccount,
} from "../gateway/gateway-account.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MerchantOwner } from "../partners/merchant.ts";
import { partnerPlace } from "../partners/partner.ts";
import type { Partner, Partners } from "../partners/partners.ts";
import type { CloudConfig } from "../settings/cloud-config.ts";
import type { ReplicatedRecords } from "../tables/replicated-table.ts";

/** Whose account at the card gateway a payment runs on. In memory of each shard; null where there is none. */
export interface GatewayAccounts {
  /** For a payment that is begun now: none for a partner that is disabled or gone. */
  ofPartner(partnerId: number): GatewayCredentials | null;
  /**
   * For a link that a terminal asks for: the partner of its merchant by its cloud config, else the installation's own account
   * (`/admin/gw-credentials`), else that of the default partner. `partnerId` is null for the installation's own.
   */
  ofTerminal(terminalId: string): { partnerId: number | null; credentials: GatewayCredentials } | null;
  /** Whether the terminal's merchant, by its cloud config, is deactivated: no new payment is begun for it. */
  isMerchantInactive(terminalId: string): boolean;
  /**
   * For a payment that runs already: the account that it was created on, by the partner it was created for and the account's merchant id, also
   * where there is another account by now. `merchantId` absent (payments of before it was kept): today's.
   */
  ofPayment(partnerId: number | null, merchantId?: string): GatewayCredentials | null;
}

export interface GatewayAccountsOptions {
  partners: Partners;
  box: SecretBox;
  installation: Pick<ReplicatedRecords<GatewayAccount>, "get">;
  cloudConfigs: Pick<ReplicatedRecords<CloudConfig>, "get">;
  /** Whose a merchant is; undefined where there is no such merchant. */
  merchantOwners: Pick<ReplicatedRecords<MerchantOwner>, "get">;
  /** Whose account serves terminals for which nothing is configured: the sandbox's demo partner. Null, or absent, where there is no such partner. */
  defaultPartner?(): Partner | null;
}

/** Gateway accounts out of what is in memory; secrets are opened when they are asked for and kept nowhere. */
export function createGatewayAccounts({
  partners,
  box,
  installation,
  cloudConfigs,
  merchantOwners,
  defaultPartner = () => null,
}: GatewayAccountsOptions): GatewayAccounts {
  function accountOf(partner: Partner | null, merchant?: string): GatewayCredentials | null {
    if (partner === null) return null;
    const { id, gateway, testGateway, formerGateways } = partner.record;
    const account =
      testGateway !== undefined && testGateway.merchantId === merchant ? testGateway : accountOfMerchant(gateway, formerGateways, merchant);
    return opened(account, partnerPlace(id, "gwSecretKey"));
  }

  /** Nobody takes money for a partner that is disabled or gone. */
  function enabled(partner: Partner | null): Partner | null {
    return partner?.record.enabled === true ? partner : null;
  }

  function ofPartner(partner: Partner | null): { partnerId: number; credentials: GatewayCredentials } | null {
    const credentials = accountOf(partner);
    return partner === null || credentials === null ? null : { partnerId: partner.record.id, credentials };
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
    ofPartner: (partnerId) => accountOf(enabled(partners.byId(partnerId))),
    ofTerminal: (terminalId) => {
      const partnerId = merchantOwnerOf(terminalId)?.partnerId ?? null;
      // Where a partner is disabled, its terminals take none for anybody else either.
      if (partnerId !== null) return ofPartner(enabled(partners.byId(partnerId)));
      const credentials = own();
      return credentials === null ? ofPartner(enabled(defaultPartner())) : { partnerId: null, credentials };
    },
    isMerchantInactive: (terminalId) => merchantOwnerOf(terminalId)?.inactive === true,
    ofPayment: (partnerId, merchantId) => (partnerId === null ? own(merchantId) : accountOf(partners.everById(partnerId), merchantId)),
  };
}
