import type { PortalLinkAttempt } from "./portal-link.ts";

/** What can happen to a portal link. Each event carries when, wall time in milliseconds UTC. */
export type PortalLinkEvent =
  /** A link at the gateway is about to be stored for it, in the same commit. */
  | { type: "attempt.begun"; atMs: number; attempt: PortalLinkAttempt }
  /** The link of an attempt became another one, in the same commit: `attempt` is what it says now. */
  | { type: "attempt.changed"; atMs: number; attempt: PortalLinkAttempt }
  /** Its merchant wants no money by it any more. */
  | { type: "cancel.requested"; atMs: number; operationId: string }
  /** A mail with it is owed, in the same commit. */
  | { type: "mail.owed"; atMs: number; mailId: string }
  | { type: "deadline.passed"; atMs: number };

export type PortalLinkNews = "payment_link.paid" | "payment_link.expired" | "payment_link.cancelled";

/** What is stored with the step, or told of it. */
export type PortalLinkEffect =
  | { type: "tell"; params: { news: PortalLinkNews } }
  /** Its people are written to: it is paid. */
  | { type: "mailPaid"; params: Record<string, never> }
  /** An operator is to look at it: paid after it had been shown as cancelled or expired, or as given back. */
  | { type: "flagLate"; params: Record<string, never> }
  /** An operator is to look at it: another payment was made by it. */
  | { type: "flagTwice"; params: Record<string, never> }
  /** All payments but one were given back. */
  | { type: "settleTwice"; params: Record<string, never> };

/** The event of a type. */
export type Of<Type extends PortalLinkEvent["type"]> = Extract<PortalLinkEvent, { type: Type }>;
