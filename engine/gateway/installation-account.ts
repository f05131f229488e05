import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import type { SecretBox } from "../kernel/secret-box.ts";
import { formerAccounts, GATEWAY_ACCOUNT_KEY, GATEWAY_ACCOUNT_PLACE, type GatewayAccount } from "./gateway-account.ts";

/** The installation's own account at the card gateway. */
export interface InstallationAccount {
  get(): GatewayAccount | null;
  /** Absent members stay as they are. Throws RelayError `invalid_request` where one is missing at the first time. */
  save(change: { terminalId?: string | undefined; merchantId?: string | undefined; secret?: string | undefined }): Promise<GatewayAccount>;
}

export interface InstallationAccountOptions {
  accounts: {
    get(key: string): GatewayAccount | undefined;
    change(key: string, work: (before: GatewayAccount | undefined) => GatewayAccount): Promise<GatewayAccount>;
  };
  box: SecretBox;
  clock: Clock;
}

export function createInstallationAccount({ accounts, box, clock }: InstallationAccountOptions): InstallationAccount {
  return {
    get: () => accounts.get(GATEWAY_ACCOUNT_KEY) ?? null,
    save: ({ terminalId, merchantId, secret }) =>
      accounts.change(GATEWAY_ACCOUNT_KEY, (before) => {
        const members = {
          gwTml: terminalId ?? before?.terminalId,
          gwApiKey: merchantId ?? before?.merchantId,
          gwSecretKey: secret === undefined ? before?.sealedSecret : box.seal(secret, GATEWAY_ACCOUNT_PLACE),
        };
        const { gwTml, gwApiKey, gwSecretKey } = members;
        if (gwTml === undefined || gwApiKey === undefined || gwSecretKey === undefined) {
          const missing = Object.entries(members).find(([, value]) => value === undefined);
          throw new RelayError("invalid_request", `${missing?.[0]}: is required, because no value is stored`);
        }
        return {
          schema: 1,
          terminalId: gwTml,
          merchantId: gwApiKey,
          sealedSecret: gwSecretKey,
          former: formerAccounts(before?.former, before, gwApiKey, clock.nowMs()),
          updatedAtMs: clock.nowMs(),
        };
      }),
  };
}
