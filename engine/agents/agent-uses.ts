import type { Clock } from "../kernel/clock.ts";
import { AGENT_CALLS_MAX, type AgentCall, type AgentLimit, NO_AGENT_USE } from "./agent-credential.ts";
import { type AddedUse, type AgentUseStore, withAdded } from "./agent-use-store.ts";

/** Credentials whose use waits to be written, in one thread; further ones are not noted. Each is some 3 KB at most. */
const WAITING_MAX = 2_000;

/** Written at once. */
const AT_ONCE_MAX = 16;

/** Notes what credentials are used for. Nobody waits for it, and what a thread has not written yet when it dies is lost. */
export interface AgentUses {
  used(id: string): void;
  called(id: string, call: Omit<AgentCall, "atMs">): void;
  refused(id: string, limit: AgentLimit): void;
  /** Writes what waits, once for each credential. Called every second; while one is under way, the next does nothing. */
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
    waiting.set(id, before === undefined ? all : together(before, all));
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
      // Tried again with the next ones; bounded as they are.
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

function together(before: AddedUse, added: AddedUse): AddedUse {
  const { lastUsedAtMs, calls, refused } = withAdded({ schema: 1, ...before }, added);
  return { lastUsedAtMs: lastUsedAtMs ?? added.lastUsedAtMs, calls: calls.slice(0, AGENT_CALLS_MAX), refused };
}
