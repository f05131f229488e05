import { available, type Kv } from "../kernel/kv.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { readRecord, recordText } from "../kernel/schemas.ts";
import { AGENT_CALLS_MAX, type AgentCall, type AgentLimit, type AgentUse, NO_AGENT_USE } from "./agent-credential.ts";
import { AGENT_LIMITS } from "./words.ts";

export interface AddedUse {
  readonly lastUsedAtMs: number;
  readonly calls: readonly AgentCall[];
  readonly refused: { readonly [Limit in AgentLimit]: number };
}

/** Every method rejects with RelayError `unavailable` when the store cannot answer. */
export interface AgentUseStore {
  ofAll(ids: readonly string[]): Promise<readonly AgentUse[]>;
  add(id: string, added: AddedUse): Promise<void>;
}

const USES = "agent-use/";

/** Each conflict is another thread that used the same credential in the same second. */
const ATTEMPTS_MAX = 32;

/** Uses are stored as `agent-use/<id of the credential>`, until `keptMs` after the last use. */
export function createAgentUseStore({ kv, keptMs }: { kv: Kv; keptMs: number }): AgentUseStore {
  return {
    ofAll: (ids) =>
      available(async () => {
        const entries = ids.length === 0 ? [] : await kv.getMany(ids.map((id) => USES + id));
        return entries.map((entry) => (entry === null ? NO_AGENT_USE : recordOf(entry.value)));
      }),
    add: (id, added) =>
      available(() =>
        retryOnConflict(ATTEMPTS_MAX, async () => {
          const key = USES + id;
          const entry = await kv.get(key);
          const use = withAdded(entry === null ? NO_AGENT_USE : recordOf(entry.value), added);
          const expiresAtMs = added.lastUsedAtMs + keptMs;
          const { type } = await kv.commit({
            checks: [{ key, version: entry?.version ?? 0 }],
            operations: [{ type: "put", key, value: recordText("agentUse", use), expiresAtMs }],
          });
          return type === "committed" ? undefined : CONFLICT;
        }),
      ),
  };
}

export function withAdded(use: AgentUse, { lastUsedAtMs, calls, refused }: AddedUse): AgentUse {
  const sums = AGENT_LIMITS.map((limit) => [limit, use.refused[limit] + refused[limit]] as const);
  return {
    schema: 1,
    lastUsedAtMs: Math.max(use.lastUsedAtMs ?? 0, lastUsedAtMs),
    calls: [...calls, ...use.calls].sort((one, other) => other.atMs - one.atMs).slice(0, AGENT_CALLS_MAX),
    refused: { ...use.refused, ...Object.fromEntries(sums) },
  };
}

function recordOf(text: string): AgentUse {
  return readRecord("agentUse", "what a credential of an agent was used for", text);
}
