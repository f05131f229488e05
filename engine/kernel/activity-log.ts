/**
 * What happened, for those who have to find out why (the portal's pages of logs). Nothing of it may hold a secret, a card number or personal data: ids, words and figures only.
 * Kept in ClickHouse for 30 days unless set otherwise; written at most a second late, and dropped (with a metric) rather than awaited.
 */
export interface ActivityLog {
  workflow(entry: WorkflowEntry): void;
  call(entry: CallEntry): void;
}

/** For what runs without one: nothing is written. */
export const NO_ACTIVITY: ActivityLog = { workflow: () => undefined, call: () => undefined };

/** A step of something of a merchant's: a payment link, a link at the gateway, an intent, a webhook endpoint, a dispute, an alert, a subscription, a credential of an agent. */
export interface WorkflowEntry {
  readonly atMs: number;
  readonly merchantId: string;
  readonly objectType:
    | "payment_link"
    | "link"
    | "payment_intent"
    | "webhook_endpoint"
    | "dispute"
    | "alert"
    | "subscription"
    | "agent_credential";
  readonly objectId: string;
  /** `noun.verb`, as the object's machine names it. */
  readonly event: string;
  /** The states before and after; null before it was there. */
  readonly from: string | null;
  readonly to: string;
  /** Of the request that caused it; null for what the gateway or the time caused. */
  readonly requestId: string | null;
  /** `done`, or `refused` where the object did not take it. */
  readonly outcome: "done" | "refused";
}

/** A request of the relay's to somebody else, about something of a merchant's. */
export interface CallEntry {
  readonly atMs: number;
  readonly merchantId: string;
  /** What it was about: a link's txId, a delivery's event id. */
  readonly objectId: string;
  readonly target: "gateway" | "webhook" | "callback" | "mail";
  /** `init`, `verify`, `refund`, the event's type. */
  readonly operation: string;
  /** Host and port, no path: addresses may hold secrets. */
  readonly host: string;
  /** HTTP status; null where there was no answer. */
  readonly httpStatus: number | null;
  readonly outcome: "done" | "refused" | "failed";
  /** Why, in words of the relay's own or the gateway's code; null where done. */
  readonly detail: string | null;
  readonly ms: number;
  readonly requestId: string | null;
}
