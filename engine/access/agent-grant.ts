import type { AGENT_SCOPES } from "./words.ts";
export type AgentScope = (typeof AGENT_SCOPES)[number];

/** Who an agent's credential speaks for, as it was when the call was authenticated. */
export interface AgentGrant {
  readonly merchantId: string;
  readonly partnerId: number;
  /** Whether its environment is LIVE; objects of the other environment are not found. */
  readonly livemode: boolean;
  readonly credentialId: string;
  /** As its merchant calls it. */
  readonly name: string;
  readonly scopes: readonly AgentScope[];
}

export function agentMay({ scopes }: Pick<AgentGrant, "scopes">, scope: AgentScope): boolean {
  return scopes.includes(scope);
}
