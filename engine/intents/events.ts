import type { MetadataChange } from "../kernel/metadata.ts";
import type { Attempt, CancellationReason, ChargeChange, IntentRefund, OrderChange } from "./intent.ts";

/** What can happen to an intent. Each event carries when, wall time in milliseconds UTC. */
export type IntentEvent =
  | { type: "intent.created"; atMs: number }
  | { type: "intent.updated"; atMs: number; change: OrderChange }
  /** A link is about to be stored for it, in the same commit; `change` as in `intent.updated`. */
  | { type: "attempt.begun"; atMs: number; attempt: Attempt; change: OrderChange }
  /**
   * The link of an attempt became another one, in the same commit: `attempt` is what the link says of it now. `cancellation` where it was revoked or its
   * reversal was begun for a cancel, `refund` where a refund was begun, `metadata` where a capture was begun with it.
   */
  | {
      type: "attempt.changed";
      atMs: number;
      attempt: Attempt;
      cancellation: Cancellation | null;
      refund: IntentRefund | null;
      metadata?: MetadataChange;
      /** Whether the payment is under dispute, which events about its charge show. */
      isDisputed?: boolean;
    }
  /** What the merchant keeps with a charge or a refund. */
  | { type: "charge.changed"; atMs: number; chargeId: string; change: ChargeChange }
  | { type: "refund.changed"; atMs: number; refundId: string; metadata: MetadataChange }
  /** Nothing is payable, and nothing is to be from now on. */
  | { type: "cancel.requested"; atMs: number; cancellation: Cancellation }
  /** Somebody is told of a refund whose outcome is not known yet. */
  | { type: "refund.told"; atMs: number; refundId: string };

export interface Cancellation {
  readonly reason: CancellationReason | null;
  readonly operationId: string;
}

export const INTENT_NEWS = [
  "payment_intent.created",
  "payment_intent.requires_action",
  "payment_intent.processing",
  "payment_intent.amount_capturable_updated",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.canceled",
] as const;
export type IntentNews = (typeof INTENT_NEWS)[number];

export const CHARGE_NEWS = ["charge.succeeded", "charge.failed", "charge.captured", "charge.refunded"] as const;
export const REFUND_NEWS = ["refund.created", "refund.updated", "refund.failed"] as const;

/** The events of the platform's format that there are. Those who subscribe may name others, which are never sent. */
export const PLATFORM_EVENT_TYPES = [...INTENT_NEWS, ...CHARGE_NEWS, ...REFUND_NEWS] as const;

/** What is told of an attempt that has ended. */
export interface ChargeNews {
  readonly type: (typeof CHARGE_NEWS)[number];
  readonly chargeId: string;
}

export interface RefundNews {
  readonly type: (typeof REFUND_NEWS)[number];
  readonly refundId: string;
}

/** What is told once the step is stored, to whom it may concern; it is frozen as it is after the step. */
export type IntentEffect =
  | { type: "tell"; params: { news: IntentNews } }
  /** Of charges and refunds; there may be none. */
  | { type: "tellOfAttempt"; params: { news: readonly (ChargeNews | RefundNews)[] } };

/** The event of a type. */
export type Of<Type extends IntentEvent["type"]> = Extract<IntentEvent, { type: Type }>;
