import type { Clock } from "../kernel/clock.ts";
import { AGENT_CALLS_MAX, type AgentCall, type AgentLimit, NO_AGENT_USE } from "./agent-credential.ts";
import { type AddedUse, type AgentUseStore, withAdded } from "./agent-use-store.ts";

/** Uses of further credentials are not recorded. Each needs about 3 KB at most. */
const WAITING_MAX = 2_000;

const AT_ONCE_MAX = 16;

/** No caller waits for it, and a crash loses what was not written. */
export interface AgentUses {
  used(id: string): void;
  called(id: string, call: Omit<AgentCall, "atMs">): void;
  refused(id: string, limit: AgentLimit): void;
  /** Called every second. Does nothing while the previous call is running. */
  flush(): Promise<void>;
}

export function createAgentUses(options: {
  store: Pick<AgentUseStore, "add">;
  clock: Pick<Clock, "nowMs">;
  failed(what: string, error: unknown): void;
}): AgentUses {
  const { store, clock, failed } = options;
  let waiting = new Map<string, AddedUse>();
  let flushing: Promise<void> | null = null;

  function add(id: string, added: Partial<AddedUse>): void {
    const before = waiting.get(id);
    if (before === undefined && waiting.size >= WAITING_MAX) return;
    const all = { lastUsedAtMs: clock.nowMs(), calls: [], refused: NO_AGENT_USE.refused, ...added };
    waiting.set(id, before === undefined ? all : merged(before, all));
  }

  async function writeAll(uses: readonly (readonly [id: string, added: AddedUse])[]): Promise<void> {
    for (let from = 0; from < uses.length; from += AT_ONCE_MAX) {
      await Promise.all(uses.slice(from, from + AT_ONCE_MAX).map(([id, added]) => write(id, added)));
    }
  }

  async function write(id: string, added: AddedUse): Promise<void> {
    try {
      await store.add(id, added);
    } catch (error) {
      // It is written with the next uses, and limited like them.
      add(id, added);
      failed("agent use", error);
    }
  }

  return {
    used: (id) => add(id, {}),
    called: (id, call) => add(id, { calls: [{ ...call, atMs: clock.nowMs() }] }),
    refused: (id, limit) => add(id, { refused: { ...NO_AGENT_USE.refused, [limit]: 1 } }),
    flush: () => {
      if (flushing !== null || waiting.size === 0) return flushing ?? Promise.resolve();
      const uses = [...waiting];
      waiting = new Map();
      flushing = writeAll(uses).finally(() => {
        flushing = null;
      });
      return flushing;
    },
  };
}

function merged(before: AddedUse, added: AddedUse): AddedUse {
  const { lastUsedAtMs, calls, refused } = withAdded({ schema: 1, ...before }, added);
  return { lastUsedAtMs: lastUsedAtMs ?? added.lastUsedAtMs, calls: calls.slice(0, AGENT_CALLS_MAX), refused };
}
