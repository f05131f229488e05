/**
 * Logs events for people who look for causes, on the portal's log pages. Entries contain only ids,
 * words and figures, but no secret, card number or personal data. ClickHouse stores them for 30
 * days by default. They are written within about a second. If that is not possible, they are
 * dropped and counted in a metric.
 */
export interface ActivityLog {
  workflow(entry: WorkflowEntry): void;
  call(entry: CallEntry): void;
}

/** A log for components without one. It writes nothing. */
export const NO_ACTIVITY: ActivityLog = { workflow: () => undefined, call: () => undefined };

/**
 * A transition of a merchant's object: a payment link, a link at the gateway, an intent, a webhook
 * endpoint, a dispute, an alert, a subscription or an agent's credential.
 */
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
  /** A name `noun.verb` from the object's machine. */
  readonly event: string;
  /** The previous state; null before the object existed. */
  readonly from: string | null;
  readonly to: string;
  /** The request that caused the transition; null if the gateway or a deadline caused it. */
  readonly requestId: string | null;
  /** `done`, or `refused` if the object rejected the event. */
  readonly outcome: "done" | "refused";
}

/** A request that the relay sent to another system about a merchant's object. */
export interface CallEntry {
  readonly atMs: number;
  readonly merchantId: string;
  /** The id of the object: a link's txId, or a delivery's event id. */
  readonly objectId: string;
  readonly target: "gateway" | "webhook" | "callback" | "mail";
  /** A name such as `init`, `verify` or `refund`, or the type of the event. */
  readonly operation: string;
  /** Host and port without a path, since addresses may contain secrets. */
  readonly host: string;
  /** HTTP status; null if there was no answer. */
  readonly httpStatus: number | null;
  readonly outcome: "done" | "refused" | "failed";
  /** The reason in the relay's own words, or the gateway's code; null if the call succeeded. */
  readonly detail: string | null;
  readonly ms: number;
  readonly requestId: string | null;
}
