import type { AlertActor, AlertRefund } from "./alert.ts";

/** The events of an alert. `atMs` is wall time in milliseconds UTC. */
export type AlertEvent =
  | { type: "alert.received"; atMs: number }
  /** A rule refunds the alert, in the commit in which the alert is received. */
  | { type: "rule.matched"; atMs: number; refund: AlertRefund }
  /** The refund is stored before the gateway is asked. */
  | { type: "refund.requested"; atMs: number; refund: AlertRefund }
  /** It is stored before the outcome is checked. */
  | { type: "refund.checked"; atMs: number }
  /** The gateway is about to be asked, and certainly has not been asked before. */
  | { type: "refund.resumed"; atMs: number }
  /** `moved` is false if the payment was refunded before. */
  | { type: "refund.done"; atMs: number; moved: boolean }
  | { type: "refund.failed"; atMs: number; detail: string }
  | { type: "declined"; atMs: number; reason: string | null; by: AlertActor }
  | { type: "deadline.passed"; atMs: number }
  /** The network has moved the money itself, or needs no refund. */
  | { type: "network.resolved"; atMs: number }
  /** The source withdraws the alert as invalid. */
  | { type: "network.invalid"; atMs: number };

export type AlertNews = "alert.created" | "alert.closed";

export type AlertEffect =
  | { type: "tell"; params: { news: AlertNews } }
  | { type: "askRefund"; params: Record<string, never> }
  /** An automatic refund was refused. */
  | { type: "flagFailed"; params: Record<string, never> }
  /** The outcome of a refund has been unknown for long. */
  | { type: "flagUnknown"; params: Record<string, never> }
  | { type: "settleUnknown"; params: Record<string, never> }
  /** Money was refunded although the alert ended otherwise. */
  | { type: "flagTwice"; params: Record<string, never> };

export type Of<Type extends AlertEvent["type"]> = Extract<AlertEvent, { type: Type }>;
