import type { AlertActor, AlertRefund } from "./alert.ts";

/** What can happen to an alert. Each event carries when, wall time in milliseconds UTC. */
export type AlertEvent =
  | { type: "alert.received"; atMs: number }
  /** A rule of the merchant's refunds it; in the commit in which it comes. */
  | { type: "rule.matched"; atMs: number; refund: AlertRefund }
  /** Somebody wants it refunded; stored before the gateway is asked. */
  | { type: "refund.requested"; atMs: number; refund: AlertRefund }
  /** What became of its refund is about to be looked up; stored before it is. */
  | { type: "refund.checked"; atMs: number }
  /** The gateway is about to be asked: it is known that it was not before. */
  | { type: "refund.resumed"; atMs: number }
  /** All of the payment was given back; `moved` false: it had been before. */
  | { type: "refund.done"; atMs: number; moved: boolean }
  | { type: "refund.failed"; atMs: number; detail: string }
  | { type: "declined"; atMs: number; reason: string | null; by: AlertActor }
  | { type: "deadline.passed"; atMs: number }
  /** The network has moved the money itself, or needs none. */
  | { type: "network.resolved"; atMs: number }
  /** The source takes it back: it was none. */
  | { type: "network.invalid"; atMs: number };

export type AlertNews = "alert.created" | "alert.closed";

/** What is stored with the step, or told of it. */
export type AlertEffect =
  | { type: "tell"; params: { news: AlertNews } }
  /** The gateway is asked for the refund, once this is stored. */
  | { type: "askRefund"; params: Record<string, never> }
  /** Operators are to look at it: an automatic refund was refused. */
  | { type: "flagFailed"; params: Record<string, never> }
  /** The same: nobody knows for long what became of a refund. */
  | { type: "flagUnknown"; params: Record<string, never> }
  /** The same is known now. */
  | { type: "settleUnknown"; params: Record<string, never> }
  /** The same: money was given back though it had ended otherwise. */
  | { type: "flagTwice"; params: Record<string, never> };

/** The event of a type. */
export type Of<Type extends AlertEvent["type"]> = Extract<AlertEvent, { type: Type }>;
