import type {
  GatewayAnswer,
  GatewayCredentials,
  GatewayFollowedUp,
  GatewayFollowUp,
  GatewayInitiated,
  GatewayOrder,
  GatewayPaymentState,
} from "./gateway.ts";

/**
 * The external card gateway. Nothing here rejects for what the network or the gateway does: that is an answer (`unavailable`), and
 * who asked decides. Each call has a deadline of its own. `verify` changes nothing and may be repeated at will; the others are repeated
 * only where the gateway is known not to have got them.
 */
export interface CardGateway {
  /** Creates a payment; the buyer pays at `redirectUrl`. */
  init(credentials: GatewayCredentials, order: GatewayOrder): Promise<GatewayAnswer<GatewayInitiated>>;
  /** By our transaction id, with the gateway's payment id where it is known. */
  verify(credentials: GatewayCredentials, payment: { txId: string; paymentId: string | null }): Promise<GatewayAnswer<GatewayPaymentState>>;
  /** Takes the money of an authorized payment. */
  capture(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>>;
  /** Undoes a payment, the whole or a part of it. */
  reversal(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>>;
  /** Pays a captured payment back. */
  refund(credentials: GatewayCredentials, followUp: GatewayFollowUp): Promise<GatewayAnswer<GatewayFollowedUp>>;
}

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
