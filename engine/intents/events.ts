import type { MetadataChange } from "../kernel/metadata.ts";
import type { Attempt, CancellationReason, ChargeChange, IntentRefund, OrderChange } from "./intent.ts";

/** The events of an intent. Each has the wall time in milliseconds UTC. */
export type IntentEvent =
  | { type: "intent.created"; atMs: number }
  | { type: "intent.updated"; atMs: number; change: OrderChange }
  /** The same commit stores the link of a new attempt; `change` is as in `intent.updated`. */
  | { type: "attempt.begun"; atMs: number; attempt: Attempt; change: OrderChange }
  /**
   * The same commit changes the link of an attempt, and `attempt` mirrors the changed link.
   * `cancellation` is set if a cancel revoked the link or started its reversal, `refund` if a
   * refund was started, and `metadata` if a capture was started with it.
   */
  | {
      type: "attempt.changed";
      atMs: number;
      attempt: Attempt;
      cancellation: Cancellation | null;
      refund: IntentRefund | null;
      metadata?: MetadataChange;
      /** Whether the payment is under dispute. Events about its charge show it. */
      isDisputed?: boolean;
    }
  /** Changes the merchant's own data of a charge or a refund. */
  | { type: "charge.changed"; atMs: number; chargeId: string; change: ChargeChange }
  | { type: "refund.changed"; atMs: number; refundId: string; metadata: MetadataChange }
  /** Nothing is payable, and nothing may become payable from now on. */
  | { type: "cancel.requested"; atMs: number; cancellation: Cancellation }
  /** A refund with an unknown outcome is reported to a caller. */
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

/**
 * The existing event types of the platform's format. Subscribers may name others, which are never
 * sent.
 */
export const PLATFORM_EVENT_TYPES = [...INTENT_NEWS, ...CHARGE_NEWS, ...REFUND_NEWS] as const;

/** The event about an ended attempt. */
export interface ChargeNews {
  readonly type: (typeof CHARGE_NEWS)[number];
  readonly chargeId: string;
}

export interface RefundNews {
  readonly type: (typeof REFUND_NEWS)[number];
  readonly refundId: string;
}

/** Events to send after the transition is stored. They contain the state after the transition. */
export type IntentEffect =
  | { type: "tell"; params: { news: IntentNews } }
  /** Events about charges and refunds. The list may be empty. */
  | { type: "tellOfAttempt"; params: { news: readonly (ChargeNews | RefundNews)[] } };

/** The event with this type. */
export type Of<Type extends IntentEvent["type"]> = Extract<IntentEvent, { type: Type }>;
