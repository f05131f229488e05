import type { AgentCredentialRecord } from "../../../../engine/agents/agent-credential.ts";
import { iso } from "../../../endpoint/time.ts";

/** A credential as the events `agent_credential.*` have it, frozen when they happen. Nothing by which it could be used, and not from where. */
export function agentCredentialObject(record: AgentCredentialRecord): object {
  const { id, livemode, name, state, scopes, limits, last4, reserved, createdAtMs, expiresAtMs } = record;
  return {
    id,
    object: "agent_credential",
    environment: livemode ? "LIVE" : "TEST",
    ...{ name, state, scopes, limits, last4 },
    usage: { totalMinor: reserved.totalMinor, links: reserved.links },
    createdAt: iso(createdAtMs),
    expiresAt: iso(expiresAtMs),
  };
}
