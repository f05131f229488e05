/** The installation's own account at the card gateway (`/admin/gw-credentials`), for links that no partner stands behind. */
export interface GatewayAccount {
  readonly schema: 1;
  readonly terminalId: string;
  readonly merchantId: string;
  readonly sealedSecret: string;
  readonly updatedAtMs: number;
}

/** The place that its secret is sealed for. */
export const GATEWAY_ACCOUNT_PLACE = "gateway-account/gwSecretKey";

/** The one key in its table. */
export const GATEWAY_ACCOUNT_KEY = "installation";
