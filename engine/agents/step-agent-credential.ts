import { compile } from "../kernel/statechart.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import type { AgentCredentialEffect, AgentCredentialEvent } from "./events.ts";
import { agentCredentialMachine } from "./machine.ts";

export interface AgentCredentialStep {
  record: AgentCredentialRecord;
  effects: readonly AgentCredentialEffect[];
  /** False where the event means nothing as the credential stands: it is refused, and nothing is to be stored. */
  taken: boolean;
}

/** What of the machine of credentials is an effect. */
export const AGENT_CREDENTIAL_EFFECTS = ["tell"] as const;

const stepMachine = compile(agentCredentialMachine, AGENT_CREDENTIAL_EFFECTS);

/** Steps a credential by its machine (machine.ts). */
export function stepAgentCredential(record: AgentCredentialRecord, event: AgentCredentialEvent): AgentCredentialStep {
  const { state, context, effects } = stepMachine(record.state, record, event);
  const taken = context !== record || effects.length > 0;
  return { record: taken ? { ...context, state } : record, effects, taken };
}
