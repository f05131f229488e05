import type { PortalLinkAttempt } from "./portal-link.ts";

/** The events of a portal link. `atMs` is wall time in milliseconds UTC. */
export type PortalLinkEvent =
  /** The same commit stores the link of the attempt. */
  | { type: "attempt.begun"; atMs: number; attempt: PortalLinkAttempt }
  /** The same commit changes the link of the attempt. `attempt` is its new form. */
  | { type: "attempt.changed"; atMs: number; attempt: PortalLinkAttempt }
  | { type: "cancel.requested"; atMs: number; operationId: string }
  /** The same commit stores a mail with the link. */
  | { type: "mail.owed"; atMs: number; mailId: string }
  | { type: "deadline.passed"; atMs: number };

export type PortalLinkNews = "payment_link.paid" | "payment_link.expired" | "payment_link.cancelled";

export type PortalLinkEffect =
  | { type: "tell"; params: { news: PortalLinkNews } }
  | { type: "mailPaid"; params: Record<string, never> }
  /** Operators check a payment after the link was shown as cancelled, expired or refunded. */
  | { type: "flagLate"; params: Record<string, never> }
  /** Operators check a second payment of the link. */
  | { type: "flagTwice"; params: Record<string, never> }
  | { type: "settleTwice"; params: Record<string, never> };

export type Of<Type extends PortalLinkEvent["type"]> = Extract<PortalLinkEvent, { type: Type }>;
