import type { CloudConfig } from "../domain/cloud-config.ts";
import type { GatewayCredentials } from "../domain/gateway.ts";
import { GATEWAY_ACCOUNT_KEY, GATEWAY_ACCOUNT_PLACE, type GatewayAccount } from "../domain/gateway-account.ts";
import { partnerPlace } from "../domain/partner.ts";
import type { GatewayAccounts } from "../ports/gateway-accounts.ts";
import type { Partner, Partners } from "../ports/partners.ts";
import type { SecretBox } from "../ports/secret-box.ts";
import type { Replica } from "./tables.ts";

export interface GatewayAccountsOptions {
  partners: Partners;
  box: SecretBox;
  installation: Pick<Replica<GatewayAccount>, "get">;
  cloudConfigs: Pick<Replica<CloudConfig>, "get">;
  /** The partner that a merchant belongs to; null where there is no such merchant. */
  partnerOfMerchant(merchantId: string): number | null;
}

/** Gateway accounts out of what is in memory; secrets are opened when they are asked for and kept nowhere. */
export function createGatewayAccounts({
  partners,
  box,
  installation,
  cloudConfigs,
  partnerOfMerchant,
}: GatewayAccountsOptions): GatewayAccounts {
  function accountOf(partner: Partner | null): GatewayCredentials | null {
    if (partner === null) return null;
    const { id, gateway } = partner.record;
    const secret = box.open(gateway.sealedSecret, partnerPlace(id, "gwSecretKey"));
    return { terminalId: gateway.terminalId, merchantId: gateway.merchantId, secret };
  }

  function own(): GatewayCredentials | null {
    const account = installation.get(GATEWAY_ACCOUNT_KEY);
    if (account === undefined) return null;
    const { terminalId, merchantId, sealedSecret } = account;
    return { terminalId, merchantId, secret: box.open(sealedSecret, GATEWAY_ACCOUNT_PLACE) };
  }

  return {
    ofPartner: (partnerId) => accountOf(partners.byId(partnerId)),
    ofTerminal: (terminalId) => {
      const merchantId = cloudConfigs.get(terminalId)?.merchantId ?? null;
      const partnerId = merchantId === null ? null : partnerOfMerchant(merchantId);
      const partner = partnerId === null ? null : partners.byId(partnerId);
      // Terminals of a partner that is disabled or gone take no money for it, and none for anybody else.
      if (partnerId !== null && partner?.record.enabled !== true) return null;
      const credentials = partner === null ? own() : accountOf(partner);
      return credentials === null ? null : { partnerId: partner === null ? null : partner.record.id, credentials };
    },
    ofPayment: (partnerId) => (partnerId === null ? own() : accountOf(partners.everById(partnerId))),
  };
}
