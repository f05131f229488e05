/** The whole of an alert's payment, to be given back once for `id`. */
export interface RefundOrder {
  /** `alert-<id>`: whatever it is asked for again under this id has moved money at most once. */
  readonly id: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly uuid: string;
  /** What is given back at most; where the whole of the payment is more, or of another currency, nothing is. Null: whoever asked has seen the payment. */
  readonly limit: { readonly amountMinor: number; readonly currency: string } | null;
  readonly requestId: string | null;
  /** Nothing may begin from this time on. */
  readonly notAfterMs: number;
}

export type RefundState =
  /** All of it was given back under this id. */
  | { readonly type: "done" }
  /** All of it was given back otherwise; nothing was moved. */
  | { readonly type: "already_refunded" }
  /** Nothing was moved, and nothing of it is on its way. `reason`: a word of ours or the gateway's code, no personal data. */
  | { readonly type: "refused"; readonly reason: string }
  /** It was certainly not begun under this id. */
  | { readonly type: "absent" }
  /** It was begun under this id, and the gateway has not executed it when it was asked; a request may be on its way. Asked for again, it moves money once all the same. */
  | { readonly type: "unfinished" }
  /** Whether it was executed is not known. */
  | { readonly type: "unknown" };

/** The port to whoever gives payments back. Nothing here rejects for what the gateway does; each call ends within a minute, by deadlines of its own. */
export interface AlertRefunds {
  /** Asked where it was certainly not begun, or is unfinished: then, and only then. */
  refund(order: RefundOrder): Promise<RefundState>;
  /** What has become of it; moves nothing. */
  verify(order: RefundOrder): Promise<RefundState>;
}
