/** An order to refund a whole payment, once for each `id`. */
export interface RefundOrder {
  /** `alert-<id>`. Repeated orders under this id move money at most once. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly uuid: string;
  /** The highest amount that a rule may refund; null: a person has seen the payment. */
  readonly limit: { readonly amountMinor: number; readonly currency: string } | null;
  readonly requestId: string | null;
  /** No part of the refund may begin from this time on. */
  readonly notAfterMs: number;
}

export type RefundState =
  /** The whole payment was refunded under this id. */
  | { readonly type: "done" }
  /** The payment was refunded in another way. Nothing was moved. */
  | { readonly type: "already_refunded" }
  /** Nothing was moved or is under way. `reason` contains no personal data. */
  | { readonly type: "refused"; readonly reason: string }
  /** The refund was certainly not begun under this id. */
  | { readonly type: "absent" }
  /** The gateway has not executed it yet. A request may be under way, but money moves only once. */
  | { readonly type: "unfinished" }
  | { readonly type: "unknown" };

/** Answers of the gateway never reject. Each call ends within a minute. */
export interface AlertRefunds {
  /** Call it only if the refund was certainly not begun, or is unfinished. */
  refund(order: RefundOrder): Promise<RefundState>;
  verify(order: RefundOrder): Promise<RefundState>;
}
