import type { AgentCredentialRevoker } from "./agent-credential.ts";

/** What can happen to a credential. Each event carries when, wall time in milliseconds UTC. */
export type AgentCredentialEvent =
  /** A link is about to be stored for it, in the same commit. `day`: on which that is, by the installation's clocks. */
  | { type: "link.made"; atMs: number; amountMinor: number; day: string }
  /** One of its links is cancelled or expired, and unpaid, in the same commit. */
  | { type: "link.unpaid"; atMs: number; amountMinor: number }
  /** One that was cancelled or expired is paid all the same, in the same commit. */
  | { type: "link.paid_late"; atMs: number; amountMinor: number }
  | { type: "revoke.requested"; atMs: number; by: AgentCredentialRevoker }
  | { type: "deadline.passed"; atMs: number };

export type AgentCredentialNews = "agent_credential.exhausted";

/** What is stored with the step. */
export interface AgentCredentialEffect {
  type: "tell";
  params: { news: AgentCredentialNews };
}

/** The event of a type. */
export type Of<Type extends AgentCredentialEvent["type"]> = Extract<AgentCredentialEvent, { type: Type }>;
