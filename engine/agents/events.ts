import type { AgentCredentialRevoker } from "./agent-credential.ts";

/** The events of a credential. `atMs` is wall time in milliseconds UTC. */
export type AgentCredentialEvent =
  /** The same commit stores a new link. `day` is its day in the installation's time zone. */
  | { type: "link.made"; atMs: number; amountMinor: number; day: string }
  /** The same commit cancels or expires a link that is unpaid. */
  | { type: "link.unpaid"; atMs: number; amountMinor: number }
  /** The same commit stores the payment of a link that was cancelled or expired. */
  | { type: "link.paid_late"; atMs: number; amountMinor: number }
  | { type: "revoke.requested"; atMs: number; by: AgentCredentialRevoker }
  | { type: "deadline.passed"; atMs: number };

export type AgentCredentialNews = "agent_credential.exhausted";

export interface AgentCredentialEffect {
  type: "tell";
  params: { news: AgentCredentialNews };
}

export type Of<Type extends AgentCredentialEvent["type"]> = Extract<AgentCredentialEvent, { type: Type }>;
