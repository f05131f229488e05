import { type KeyProof, keyEnded } from "../access/made-by-key.ts";
import { type IndexPage, listPrefix, type Place } from "../kernel/merchant-index-store.ts";
import type { MerchantScope } from "../kernel/merchant-scope.ts";
import type { Stored } from "../kernel/stored.ts";
import type { RequestContext } from "../workflow/workflow.ts";
import type { WorkflowStore } from "../workflow/workflow-store.ts";
import type { AgentCredentialRecord, AgentCredentialState } from "./agent-credential.ts";
import type { UsableCredentials, UsableCredentialsStore } from "./usable-credentials-store.ts";
import type { AgentCredentialWorkflow } from "./workflow.ts";

export interface AgentCredentialPageQuery {
  readonly limit: number;
  readonly after: Place | null;
  readonly state: AgentCredentialState | null;
}

type AgentCredentialStore = WorkflowStore<AgentCredentialRecord>;

export function credentialByDigest(store: AgentCredentialStore, digest: string): Promise<Stored<AgentCredentialRecord> | null> {
  return store.exact(`agent-credential-token/${digest}`);
}

export function pageOfCredentials(
  store: AgentCredentialStore,
  list: MerchantScope,
  { limit, after, state }: AgentCredentialPageQuery,
): Promise<IndexPage<AgentCredentialRecord>> {
  const query = { limit, after, fromMs: null, beforeMs: null, order: "newest" } as const;
  return store.page(listPrefix("agent-credential-of/", list), query, (record) => state === null || record.state === state);
}

/**
 * Returns false if the id exists, or the list of usable credentials has changed. Throws RelayError
 * `unauthorized` if the key that makes it was replaced meanwhile.
 */
export async function storeCredential(
  { workflow, usable }: { workflow: AgentCredentialWorkflow; usable: UsableCredentialsStore },
  record: AgentCredentialRecord,
  { ids, version }: UsableCredentials,
  request: RequestContext | null,
  proof?: KeyProof,
): Promise<boolean> {
  const { checks, operations } = usable.part(record, version, [...ids, record.id]);
  const part = { checks: proof === undefined ? checks : [...checks, proof], operations };
  const event = { type: "agent_credential.created", atMs: record.createdAtMs };
  const created = await workflow.create({ record, effects: [] }, event, request, part);
  if (created.type === "conflict" && created.key === proof?.key) throw keyEnded();
  return "record" in created;
}
