import type { Address, Homes } from "../kernel/bus.ts";
import type { Clock } from "../kernel/clock.ts";
import { createDeadlineRunner, type DeadlineRunner } from "../kernel/deadline-runner.ts";
import { createPacer } from "../kernel/pacer.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { agentCredentialChange, type Telling, tellStored } from "./agent-credential-change.ts";
import type { AgentCredentialStore } from "./agent-credential-store.ts";
import { stepAgentCredential } from "./step-agent-credential.ts";

/** Credentials that expire within one second before the rest of them is spread over the seconds after it: nothing waits for it, an expired token opens nothing as it is. */
const FREE_PER_SECOND = 100;

const BOUNDS = { heldMax: 20_000, atOnceMax: 32, catchUpMs: 5_000, slackMs: 2_000 };

/** Each lost round is a link of the same credential, or the end of another one of the same merchant. */
const ROUNDS_MAX = 64;

export interface AgentCredentialDeadlinesOptions extends Telling {
  store: AgentCredentialStore;
  clock: Clock;
  homes: Homes;
  self: Address;
  failed(what: string, error: unknown): void;
}

/** The deadlines of credentials whose home this shard is: when their time is over. */
export function createAgentCredentialDeadlines(options: AgentCredentialDeadlinesOptions): DeadlineRunner {
  const { store, clock, homes, self, failed, ...telling } = options;
  const expire = (id: string): Promise<void> =>
    retryOnConflict(ROUNDS_MAX, async () => {
      const stored = await store.load(id);
      if (stored === null) return undefined;
      const event = { type: "deadline.passed", atMs: clock.nowMs() } as const;
      const step = stepAgentCredential(stored.record, event);
      if (!step.taken) return undefined;
      const change = agentCredentialChange(step, stored, event.atMs, null, telling);
      if ((await store.commit(change)) === null) return CONFLICT;
      tellStored(change, event.type, null, telling);
      return undefined;
    });

  return createDeadlineRunner({
    ...{ name: "agent-credential", index: store, homes, self, clock, failed },
    placeOf: (partition) => `agent-credentials/${partition}`,
    bounds: { ...BOUNDS, pacer: createPacer(FREE_PER_SECOND) },
    fire: expire,
  });
}
