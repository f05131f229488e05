import type { CyclePlace } from "./calendar.ts";
import type { DunningTerms } from "./dunning-policy.ts";
import type { SubscriptionMail } from "./subscription.ts";

/** What can happen to a subscription. Each event carries when, wall time in milliseconds UTC. */
export type SubscriptionEvent =
  /** Something may be due. `next`: the cycle after the current one. `terms`: what the merchant's policy says now. */
  | { type: "deadline.passed"; atMs: number; isInactive: boolean; next: CyclePlace; terms: DunningTerms }
  /** The link of an attempt is there. */
  | { type: "charge.opened"; atMs: number; attemptId: string; link: { readonly id: string; readonly token: string } }
  /** It was looked at: its link can still be paid. */
  | { type: "charge.open"; atMs: number; attemptId: string }
  /** Nobody says what became of it. */
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
  /** It never came to whoever was to be asked, and never will. */
  | { type: "charge.lost"; atMs: number; attemptId: string; terms: DunningTerms }
  | { type: "cancel.requested"; atMs: number; operationId: string; atPeriodEnd: boolean; by: "merchant" | "customer" }
  | { type: "pause.requested"; atMs: number; operationId: string; by: "merchant" | "deactivated" }
  /** `next`: the first cycle that is due after it. */
  | { type: "resume.requested"; atMs: number; operationId: string; next: CyclePlace }
  | { type: "retry.requested"; atMs: number; operationId: string }
  /** The customer wants to pay now. */
  | { type: "payment.requested"; atMs: number }
  /** The mail that is owed is tried again. */
  | { type: "mail.due"; atMs: number };

export type SubscriptionNews =
  | "subscription.created"
  | "subscription.renewed"
  | "subscription.payment_failed"
  | "subscription.past_due"
  | "subscription.recovered"
  | "subscription.paid_late"
  | "subscription.cancelled";

/** What is stored with the step, or done after it. */
export type SubscriptionEffect =
  | { type: "tell"; params: { news: SubscriptionNews } }
  /** The attempt that the step has begun is asked for, once the step is stored. */
  | { type: "ask"; params: Record<string, never> }
  | { type: "mail"; params: { kind: SubscriptionMail } }
  /** Operators are to look at it: paid after it was paused or cancelled; paid more than once. */
  | { type: "flagLate"; params: Record<string, never> }
  | { type: "flagTwice"; params: Record<string, never> };

/** The event of a type. */
export type Of<Type extends SubscriptionEvent["type"]> = Extract<SubscriptionEvent, { type: Type }>;
