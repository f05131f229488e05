import type { Clock } from "../kernel/clock.ts";
import { RelayError } from "../kernel/errors.ts";
import { CONFLICT, retryOnConflict } from "../kernel/retry-on-conflict.ts";
import { addCounts, COUNTED_TERMINALS_MAX, type InstallMark, type InstallStep, markAfter, NOTHING_COUNTED } from "./app-deployment.ts";
import type { AppStore } from "./app-store.ts";
import { stepDeployment } from "./machine.ts";

/** Steps counted by one commit. */
const BATCH_MAX = 200;

/** Steps of one shard that wait to be counted; beyond it the caller is asked to come again. */
const WAITING_MAX = 20_000;

/** Shards that count for one deployment at the same time each win in turn; more tries than there are shards. */
const ATTEMPTS_MAX = 128;

/** Offers that were counted are remembered, so that a fleet that asks every hour costs no read; beyond it the store is asked again. */
const REMEMBERED_MAX = 100_000;

export interface DeploymentCounts {
  /** Counts a terminal's step once; resolves when it is stored. `reason`: why an install failed. */
  count(deploymentId: number, terminalId: string, step: InstallStep, reason?: string): Promise<void>;
  /** Whether this shard remembers that the offer was counted; false says nothing. */
  isOfferCounted(deploymentId: number, terminalId: string): boolean;
}

export interface DeploymentCountsOptions {
  store: AppStore;
  clock: Clock;
  /** Too many installs failed and the deployment is paused, or so few that its next ring has started. */
  offerChanged(deploymentId: number): void;
}

interface Waiting {
  terminalId: string;
  step: InstallStep;
  reason: string | undefined;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Counts distinct terminals. What comes while a commit is under way is counted by the next one, so a fleet that asks all at once makes a
 * few commits and no race with itself.
 */
export function createDeploymentCounts({ store, clock, offerChanged }: DeploymentCountsOptions): DeploymentCounts {
  const queues = new Map<number, Waiting[]>();
  const remembered = new Set<string>();
  let waiting = 0;

  async function countBatch(deploymentId: number, batch: readonly Waiting[]): Promise<void> {
    const terminalIds = [...new Set(batch.map(({ terminalId }) => terminalId))];
    await retryOnConflict(ATTEMPTS_MAX, async () => {
      const [[deployment = null], stored] = await Promise.all([store.deployments([deploymentId]), store.marks(deploymentId, terminalIds)]);
      if (deployment === null) return undefined;
      const before = new Map(stored.map((mark, index) => [terminalIds[index], mark]));
      const after = new Map<string, InstallMark>();
      let moves = NOTHING_COUNTED;
      for (const { terminalId, step, reason } of batch) {
        const known = before.get(terminalId);
        if (known === undefined) continue;
        const isNew = known.version === 0 && !after.has(terminalId);
        if (isNew && deployment.record.counts.offered + moves.offered >= COUNTED_TERMINALS_MAX) continue;
        const next = markAfter(after.get(terminalId) ?? known.record, step, reason);
        if (next.mark === (after.get(terminalId) ?? known.record)) continue;
        after.set(terminalId, next.mark);
        moves = addCounts(moves, next.moves);
      }
      if (after.size === 0) return undefined;
      const stepped = stepDeployment(deployment.record, { type: "terminals.counted", atMs: clock.nowMs(), moves });
      const outcome = await store.commit({
        deployments: [{ record: stepped.record, version: deployment.version }],
        marks: [...after].map(([terminalId, record]) => ({
          record,
          version: before.get(terminalId)?.version ?? 0,
          deploymentId,
          terminalId,
        })),
        changesTable: stepped.offerChanged,
      });
      if (outcome !== "committed") return CONFLICT;
      if (stepped.offerChanged) offerChanged(deploymentId);
      return undefined;
    });
  }

  async function run(deploymentId: number, queue: Waiting[]): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.splice(0, BATCH_MAX);
      waiting -= batch.length;
      try {
        await countBatch(deploymentId, batch);
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    queues.delete(deploymentId);
  }

  function enqueue(deploymentId: number, terminalId: string, step: InstallStep, reason: string | undefined): Promise<void> {
    if (waiting >= WAITING_MAX)
      throw new RelayError("too_busy", "Too many terminals are reporting at once; retry shortly", { retryAfterSeconds: 5 });
    waiting += 1;
    return new Promise((resolve, reject) => {
      const entry = { terminalId, step, reason, resolve, reject };
      const queue = queues.get(deploymentId);
      if (queue !== undefined) {
        queue.push(entry);
        return;
      }
      const started = [entry];
      queues.set(deploymentId, started);
      void run(deploymentId, started);
    });
  }

  const keyOf = (deploymentId: number, terminalId: string) => `${deploymentId} ${terminalId}`;

  return {
    isOfferCounted: (deploymentId, terminalId) => remembered.has(keyOf(deploymentId, terminalId)),
    count: async (deploymentId, terminalId, step, reason) => {
      const key = keyOf(deploymentId, terminalId);
      if (step === "offered" && remembered.has(key)) return;
      await enqueue(deploymentId, terminalId, step, reason);
      if (step !== "offered") return;
      if (remembered.size >= REMEMBERED_MAX) remembered.clear();
      remembered.add(key);
    },
  };
}
