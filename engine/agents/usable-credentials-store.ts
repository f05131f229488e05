import type { CommitPart } from "../kernel/commit-part.ts";
import { available, type Kv } from "../kernel/kv.ts";
import { listPrefix } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import { readBareRecord, recordText } from "../kernel/schemas.ts";
import type { CommitGuard } from "../workflow/workflow.ts";
import type { AgentCredentialRecord } from "./agent-credential.ts";

export interface UsableCredentials {
  readonly ids: readonly string[];
  readonly version: number;
}

/** They are stored as `agent-credential-usable/<merchant>/<live or test>/`. */
export interface UsableCredentialsStore {
  /** Rejects with RelayError `unavailable` when the store cannot answer. */
  load(list: MerchantScope): Promise<UsableCredentials>;
  /** Returns the part of a commit that replaces the list of usable credentials. */
  part(list: MerchantScope, version: number, ids: readonly string[]): CommitPart;
  /** Removes a credential from the list when it ends. */
  readonly guard: CommitGuard<AgentCredentialRecord>;
}

export function createUsableCredentialsStore(kv: Kv): UsableCredentialsStore {
  async function read(list: MerchantScope): Promise<UsableCredentials> {
    const entry = await kv.get(usableKey(list));
    if (entry === null) return { ids: [], version: 0 };
    const { ids } = readBareRecord<{ ids: string[] }>("agentCredential", "credentials that can be used", entry.value);
    return { ids, version: entry.version };
  }

  const load: UsableCredentialsStore["load"] = (list) => available(() => read(list));

  const part: UsableCredentialsStore["part"] = (list, version, ids) => {
    const key = usableKey(list);
    return { checks: [{ key, version }], operations: [{ type: "put", key, value: recordText("agentCredential", { ids }) }] };
  };

  return {
    load,
    part,
    guard: {
      applies: ({ before, record }) => hasEnded(record) && before !== null && !hasEnded(before),
      read: async ({ record }) => {
        const { ids, version } = await load(record);
        return part(
          record,
          version,
          ids.filter((id) => id !== record.id),
        );
      },
      inTurn: (_, commit) => commit(),
    },
  };
}

function hasEnded({ state }: AgentCredentialRecord): boolean {
  return state === "EXPIRED" || state === "REVOKED";
}

function usableKey(list: MerchantScope): string {
  return listPrefix("agent-credential-usable/", list);
}
