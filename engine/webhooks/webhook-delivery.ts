/** One attempt to deliver an event to one endpoint. */
export interface WebhookAttempt {
  readonly atMs: number;
  readonly durationMs: number;
  /** Null where there was no answer. */
  readonly status: number | null;
  /** At most the first 1,024 bytes of the answer, without card numbers. */
  readonly answer: string | null;
  /** Why it failed, null where it succeeded; holds nothing secret. */
  readonly error: string | null;
}

/** An event that one endpoint is to get (infra/docs/compat.md). */
export interface WebhookDeliveryRecord {
  readonly schema: 1;
  /** `<event id>.<endpoint id>`. */
  readonly id: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly merchantId: string;
  readonly partnerId: number;
  readonly livemode: boolean;
  readonly eventType: string;
  readonly objectId: string;
  readonly sequence: number;
  /** `canceled`: its endpoint was disabled or removed before it was delivered. */
  readonly state: "waiting" | "delivered" | "dead" | "canceled";
  /** Since it was last sent again, which begins them anew. */
  readonly attemptsMade: number;
  /** The latest ones, the oldest first; at most WEBHOOK_ATTEMPTS_KEPT. */
  readonly attempts: readonly WebhookAttempt[];
  readonly createdAtMs: number;
  /** When it is to be sent; of one that is being sent, when it may be taken over. Null once it has ended. */
  readonly nextAtMs: number | null;
}

/** Pauses after failed attempts: one at once, and five more. After the last one it is dead. */
export const WEBHOOK_PAUSES_MS = [5, 25, 125, 625, 3_125].map((seconds) => seconds * 1_000);

export const WEBHOOK_ATTEMPTS_KEPT = 24;

/** How long one that was given up is kept. */
export const WEBHOOK_DEAD_LIFETIME_MS = 90 * 86_400_000;
