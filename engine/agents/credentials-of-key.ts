import type { LookAtKey, MadeByKey } from "../access/made-by-key.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";
import type { UsableCredentialsStore } from "./usable-credentials-store.ts";
import type { AgentCredentialWorkflow } from "./workflow.ts";

export interface CredentialsOfKeyOptions {
  /** It has no guard for usable credentials, because this operation removes all of them at once. */
  workflow: AgentCredentialWorkflow;
  usable: UsableCredentialsStore;
}

/** Older records do not name the key, so they end with any leaked key. */
export function createCredentialsOfKey({ workflow, usable }: CredentialsOfKeyOptions): LookAtKey {
  return async ({ merchantId, livemode, keyId, leaked, atMs }) => {
    const list = { merchantId, livemode };
    const { ids, version } = await usable.load(list);
    const credentials = (await Promise.all(ids.map((id) => workflow.store.load(id)))).filter((stored) => stored !== null);
    const found = credentials.filter(({ record: { createdBy } }) => isOf(createdBy, keyId));
    const revoked = await Promise.all(
      leaked ? found.map((stored) => workflow.prepare(stored, { type: "revoke.requested", atMs, by: { type: "rotation" } }, null)) : [],
    );
    const steps = revoked.filter((step) => step !== "refused");
    const ended = new Set(steps.map(({ record }) => record.id));
    const left = ids.filter((id) => !ended.has(id));
    const parts = leaked ? [...steps.map(({ part }) => part), usable.part(list, version, left)] : [];
    return {
      items: found.map(({ record }) => itemOf(record, ended.has(record.id))),
      checks: parts.flatMap(({ checks }) => checks),
      operations: parts.flatMap(({ operations }) => operations),
      committed: () => {
        for (const step of steps) step.committed();
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
