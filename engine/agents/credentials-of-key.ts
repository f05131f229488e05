import type { LookAtKey, MadeByKey } from "../access/made-by-key.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import { agentCredentialChange, type Telling, tellStored } from "./agent-credential-change.ts";
import type { AgentCredentialStore } from "./agent-credential-store.ts";
import { stepAgentCredential } from "./step-agent-credential.ts";

export interface CredentialsOfKeyOptions extends Telling {
  store: Pick<AgentCredentialStore, "held" | "ending">;
}

/**
 * The agents' credentials that a secret key made and that can still be used. One from before the
 * relay kept which key it was is ended with whichever leaked.
 */
export function createCredentialsOfKey({ store, ...telling }: CredentialsOfKeyOptions): LookAtKey {
  return async ({ merchantId, livemode, keyId, leaked, atMs }) => {
    const list = { merchantId, livemode };
    const { credentials, usable } = await store.held(list);
    const found = credentials.filter(({ record: { createdBy } }) => isOf(createdBy, keyId));
    const changes = !leaked
      ? []
      : found.flatMap((stored) => {
          const step = stepAgentCredential(stored.record, { type: "revoke.requested", atMs, by: { type: "rotation" } });
          return step.taken ? [agentCredentialChange(step, stored, atMs, null, telling)] : [];
        });
    const ended = new Set(changes.map(({ record }) => record.id));
    const { checks, operations } = leaked ? store.ending(list, changes, usable) : { checks: [], operations: [] };
    return {
      items: found.map(({ record }) => itemOf(record, ended.has(record.id))),
      checks,
      operations,
      committed: () => {
        for (const change of changes) tellStored(change, "revoke.requested", null, telling);
      },
    };
  };
}

function isOf(by: AgentCredentialRecord["createdBy"], keyId: string): boolean {
  return by.type === "key" && (by.keyId === undefined || by.keyId === keyId);
}

function itemOf({ id, last4, createdBy, expiresAtMs }: AgentCredentialRecord, ended: boolean): MadeByKey {
  const isCertain = createdBy.type === "key" && createdBy.keyId !== undefined;
  return { type: "agent_credential", id, mark: last4, isCertain, ended, expiresAtMs };
}
