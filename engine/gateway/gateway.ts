/**
 * What the relay and the external card gateway say to each other about one payment (http/gateway/PROTOCOL.md has the wire form). Amounts are decimal strings in
 * currency units ("12.34"), never binary floats.
 */

/** A partner's own login at the gateway. */
export interface GatewayCredentials {
  /** The partner's terminal at the gateway; `gwTml` on the wire. */
  readonly terminalId: string;
  /** `merId` and `keyId` of the protocol; `gwApiKey` on the wire. */
  readonly merchantId: string;
  /** Key of the HMAC signatures; `gwSecretKey` on the wire. Never logged, never answered. */
  readonly secret: string;
}

/** The gateway's result codes that mean something to the relay; others are kept as they come. */
export const GATEWAY_RESULT = {
  completed: "GW_000",
  expired: "GW_20002",
  notAuthorized: "GW_10001",
  insufficientFunds: "GW_10002",
  cancelledByBuyer: "GW_20090",
} as const;

/** Codes by which the gateway refuses somebody without having looked at what was asked: the signature, the operation as such. */
export const GATEWAY_UNREAD = { notAuthenticated: "GW_30401", notExposed: "GW_30404" } as const;

/** How the buyer may pay on the hosted page: any card, or BANCOMAT Pay. */
export type GatewayInstrument = "card" | "bancomat_pay";

export interface GatewayOrder {
  /** Our transaction id: at most one payment exists for it at the gateway. */
  readonly txId: string;
  readonly amount: string;
  /** ISO 4217, upper case. */
  readonly currency: string;
  readonly description: string;
  readonly merchantReference: string | null;
  readonly customerEmail: string | null;
  readonly instrument: GatewayInstrument;
  /** Authorize only, to be captured later, or take the money at once. */
  readonly capture: "now" | "later";
  /** Where the gateway posts its notification. */
  readonly notifyUrl: string;
  /** Where the hosted page sends the buyer afterwards; null: it stays on its own last page. */
  readonly returnUrl: string | null;
  readonly expiresAtMs: number;
}

/** What came of an operation that moves or may move money. `httpStatus` is for logs and decides nothing; absent where there was no answer. */
export type GatewayAnswer<Done> =
  | { type: "done"; value: Done; httpStatus?: number }
  /** The gateway said no, for good; its code and description as they came. */
  | { type: "refused"; resultCode: string; description: string; httpStatus?: number }
  /** Not reached, too late, broken or unsigned: whether it happened is not known. */
  | { type: "unavailable"; reason: string; httpStatus?: number };

export interface GatewayInitiated {
  readonly paymentId: string;
  readonly redirectUrl: string;
}

/** The gateway's authoritative word on a payment. */
export type GatewayPaymentState =
  /** The gateway has no payment with this id: an init that never arrived. */
  | { type: "absent" }
  | { type: "pending"; paymentId: string; redirectUrl: string | null }
  | { type: "paid"; paymentId: string; payment: GatewayPayment; totals?: GatewayTotals }
  | { type: "failed"; paymentId: string; resultCode: string; description: string };

export interface GatewayPayment {
  readonly resultCode: string;
  readonly description: string;
  /** The gateway's id of the money movement, which capture, reversal and refund name. */
  readonly tranId: string;
  readonly authCode: string | null;
  readonly maskedPan: string | null;
  readonly cardBrand: string | null;
  readonly payerName: string | null;
  readonly payerLastName: string | null;
  /** What was paid; absent where the gateway does not say. */
  readonly amount?: MinorAmount;
}

/** What became of a payment since it was paid, as far as the gateway says; in minor units of what was paid. */
export interface GatewayTotals {
  readonly captured?: boolean;
  readonly reversedMinor?: number;
  readonly refundedMinor?: number;
}

export interface MinorAmount {
  readonly amountMinor: number;
  /** ISO 4217, upper case. */
  readonly currency: string;
}

/** A capture, reversal or refund of an earlier movement of money. */
export interface GatewayFollowUp {
  /** Id of this operation: the gateway executes it once. */
  readonly txId: string;
  readonly origTranId: string;
  readonly amount: string;
  readonly currency: string;
}

export interface GatewayFollowedUp {
  readonly tranId: string;
  readonly resultCode: string;
  readonly description: string;
}
