import type { GatewayCredentials } from "./gateway.ts";

/** Whose account at the card gateway a payment runs on. In memory of each shard; null where there is none. */
export interface GatewayAccounts {
  ofPartner(partnerId: number): GatewayCredentials | null;
  /**
   * For a link that a terminal asks for: the partner of its merchant by its cloud config, else the installation's own account
   * (`/admin/gw-credentials`). `partnerId` is null for the installation's own.
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
