import type { GatewayCredentials } from "../domain/gateway.ts";

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
  /** Again, for a payment that runs already: the account that it was created on, by the partner it was created for. */
  ofPayment(partnerId: number | null): GatewayCredentials | null;
}
