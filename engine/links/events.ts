import type { GatewayPaymentState } from "../gateway/gateway.ts";
import type { FollowUp, FollowUpAsker, FollowUpRefusal, FollowUpType, LinkRecord } from "./link.ts";

/** What can happen to a link. Each event carries when, wall time in milliseconds UTC. */
export type LinkEvent =
  /** The gateway is about to be asked to create the payment. */
  | { type: "init.begun"; atMs: number }
  | { type: "init.answered"; atMs: number; paymentId: string; redirectUrl: string }
  /** The gateway will not create it. Where another init of the same link was begun, believed only if the gateway has no such payment since (`absent`). */
  | { type: "init.refused"; atMs: number; resultCode: string; description: string; absent: boolean }
  /** The gateway says that something happened. Never believed: it leads to a verify. */
  | { type: "notification.received"; atMs: number }
  /** A caller wants to know now. */
  | { type: "verify.requested"; atMs: number }
  | { type: "deadline.passed"; atMs: number }
  /** Its order is canceled. Heard only where a verify that was asked for since then has said that it is not paid. */
  | { type: "revoke.requested"; atMs: number; sinceMs: number }
  /** What the gateway says of the time when it was asked. */
  | { type: "verify.answered"; atMs: number; askedAtMs: number; payment: GatewayPaymentState }
  /** The gateway could not be asked: nothing is known that was not known before. */
  | { type: "verify.failed"; atMs: number }
  /** `amountMinor` null: everything that is left. */
  | { type: "followUp.requested"; atMs: number; id: string; followUp: FollowUpType; amountMinor: number | null; by?: FollowUpAsker }
  | { type: "followUp.answered"; atMs: number; id: string; tranId: string; resultCode: string; description: string }
  | { type: "followUp.refused"; atMs: number; id: string; resultCode: string; description: string };

/** What the runtime does once the step is stored. */
export type LinkEffect =
  /** Ask the gateway where the payment stands. */
  | { type: "verify"; params: Record<string, never> }
  /** Have the gateway give the whole of it back, under the one id that the relay has for that. */
  | { type: "reverse"; params: Record<string, never> }
  /** Ask the gateway to execute; the entry is stored. */
  | { type: "executeFollowUp"; params: { followUp: FollowUp } }
  /** It was executed before under this id. */
  | { type: "repeatFollowUp"; params: { followUp: FollowUp } }
  | { type: "refuseFollowUp"; params: { reason: FollowUpRefusal } }
  /** The link has ended, or ended otherwise than was told before. */
  | { type: "ended"; params: Record<string, never> }
  /** An operator is to look at it: paid after it was told as ended. */
  | { type: "flagLate"; params: Record<string, never> }
  /** An operator is to look at it: another amount was paid than was ordered. */
  | { type: "flagAmount"; params: Record<string, never> }
  /** An operator is to look at it: its time is over, and the gateway cannot be asked. */
  | { type: "flagOverdue"; params: Record<string, never> }
  /** An operator is to look at it: whether a capture, reversal or refund was executed is not known. */
  | { type: "flagFollowUp"; params: Record<string, never> }
  /** An operator is to look at it: nobody wants its money, and the relay gives it back, or could not. */
  | { type: "flagReversal"; params: Record<string, never> }
  /** It is known now. */
  | { type: "settleFollowUp"; params: Record<string, never> }
  /** The gateway could be asked after all. */
  | { type: "settleOverdue"; params: Record<string, never> };

/** What an event does: the record that it leads to (the very same where it changes nothing), and what the runtime is to do once that is stored. */
export interface LinkStep {
  link: LinkRecord;
  effects: readonly LinkEffect[];
}

/** The event of a type. */
export type Of<Type extends LinkEvent["type"]> = Extract<LinkEvent, { type: Type }>;
