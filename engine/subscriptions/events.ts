import type { CyclePlace } from "./calendar.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { SubscriptionMail } from "./subscription.ts";

/** The events of a subscription. Each has the wall time in milliseconds UTC. */
export type SubscriptionEvent =
  /**
   * Something may be due. `next` is the cycle after the current one, and `terms` is the merchant's
   * current policy.
   */
  | { type: "deadline.passed"; atMs: number; isInactive: boolean; next: CyclePlace; terms: DunningTerms }
  /** The link of an attempt exists. */
  | { type: "charge.opened"; atMs: number; attemptId: string; link: { readonly id: string; readonly token: string } }
  /** A check found that the link can still be paid. */
  | { type: "charge.open"; atMs: number; attemptId: string }
  /** The outcome is unknown. */
  | { type: "charge.unknown"; atMs: number; attemptId: string }
  | { type: "charge.done"; atMs: number; attemptId: string; paidAtMs: number; uuid?: string }
  | {
      type: "charge.failed";
      atMs: number;
      attemptId: string;
      code: string;
      description: string | null;
      hard: boolean;
      terms: DunningTerms;
    }
  /** The provider never received the request and never will. */
  | { type: "charge.lost"; atMs: number; attemptId: string; terms: DunningTerms }
  | { type: "cancel.requested"; atMs: number; operationId: string; atPeriodEnd: boolean; by: "merchant" | "customer" }
  | { type: "pause.requested"; atMs: number; operationId: string; by: "merchant" | "deactivated" }
  /** `next` is the first cycle that is due after the event. */
  | { type: "resume.requested"; atMs: number; operationId: string; next: CyclePlace }
  | { type: "retry.requested"; atMs: number; operationId: string }
  /** The customer wants to pay now. */
  | { type: "payment.requested"; atMs: number }
  /** The relay tries the queued mail again. */
  | { type: "mail.due"; atMs: number };

export type SubscriptionNews =
  | "subscription.created"
  | "subscription.renewed"
  | "subscription.payment_failed"
  | "subscription.past_due"
  | "subscription.recovered"
  | "subscription.paid_late"
  | "subscription.cancelled";

/** An effect is stored with the transition or executed after it. */
export type SubscriptionEffect =
  | { type: "tell"; params: { news: SubscriptionNews } }
  /** Requests the attempt that the transition started, after the transition is stored. */
  | { type: "ask"; params: Record<string, never> }
  | { type: "mail"; params: { kind: SubscriptionMail } }
  /**
   * Reports the payment to operators, because it was made after a pause or cancellation, or more
   * than once.
   */
  | { type: "flagLate"; params: Record<string, never> }
  | { type: "flagTwice"; params: Record<string, never> };

/** The event with this type. */
export type Of<Type extends SubscriptionEvent["type"]> = Extract<SubscriptionEvent, { type: Type }>;
