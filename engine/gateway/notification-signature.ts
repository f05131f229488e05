import type { GatewayCredentials } from "./gateway.ts";

/** What the gateway signs of a notification. */
export interface GatewayNotification {
  readonly merId: string | null;
  readonly txId: string;
  readonly paymentId: string | null;
}

/** Checks the HMAC-SHA256 signature of a notification with the account's secret, in constant time. */
export interface NotificationSignature {
  matches(credentials: GatewayCredentials, notification: GatewayNotification, signature: string): boolean;
}
