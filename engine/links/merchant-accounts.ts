import type { GatewayCredentials } from "../gateway/gateway.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import type { MerchantEnvironment } from "../partners/merchant.ts";
import { partnerPlace } from "../partners/partner.ts";
import type { Partners } from "../partners/partners.ts";
import type { GatewayAccounts } from "./gateway-accounts.ts";

/**
 * `apart`: the account that is kept for TEST, of a merchant that is LIVE: its reports do not count
 * the payment. `other_environment`: no account is kept for the environment.
 */
export type MerchantAccount =
  | { readonly type: "account"; readonly credentials: GatewayCredentials; readonly apart: boolean }
  | { readonly type: "no_account" }
  | { readonly type: "other_environment" };

/** Whose account at the card gateway a payment of a merchant is begun on, by the environment of the payment. */
export interface MerchantAccounts {
  /**
   * A payment of TEST runs on the account that the partner keeps for TEST; without one it runs on the
   * partner's only account, but not once the merchant is LIVE. Reads the merchant as it is stored, so
   * that from the moment it is LIVE nothing of TEST reaches its account. Rejects with RelayError
   * `unavailable`.
   */
  ofMerchant(owner: { readonly merchantId: string; readonly partnerId: number; readonly livemode: boolean }): Promise<MerchantAccount>;
  /** Whether an account is the one that the partner keeps for TEST. */
  isKeptForTest(partnerId: number | null, accountMerchantId: string | undefined): boolean;
}

export interface MerchantAccountsOptions {
  accounts: Pick<GatewayAccounts, "ofPartner">;
  partners: Pick<Partners, "byId" | "everById">;
  box: SecretBox;
  /** The environment that a merchant is in, as it is stored; null where there is no such merchant. */
  environmentOf(merchantId: string): Promise<MerchantEnvironment | null>;
}

export function createMerchantAccounts({ accounts, partners, box, environmentOf }: MerchantAccountsOptions): MerchantAccounts {
  /** None for a partner that is disabled or gone. */
  function testOf(partnerId: number): GatewayCredentials | null {
    const { enabled = false, testGateway } = partners.byId(partnerId)?.record ?? {};
    if (!enabled || testGateway === undefined) return null;
    const { terminalId, merchantId, sealedSecret } = testGateway;
    return { terminalId, merchantId, secret: box.open(sealedSecret, partnerPlace(partnerId, "gwSecretKey")) };
  }

  return {
    ofMerchant: async ({ merchantId, partnerId, livemode }) => {
      const isLive = (await environmentOf(merchantId)) === "LIVE";
      const test = livemode ? null : testOf(partnerId);
      if (livemode !== isLive && test === null) return { type: "other_environment" };
      const credentials = test ?? accounts.ofPartner(partnerId);
      return credentials === null ? { type: "no_account" } : { type: "account", credentials, apart: livemode !== isLive };
    },
    isKeptForTest: (partnerId, accountMerchantId) =>
      partnerId !== null &&
      accountMerchantId !== undefined &&
      partners.everById(partnerId)?.record.testGateway?.merchantId === accountMerchantId,
  };
}
