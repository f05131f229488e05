import { type Commit, type Kv, StorageUnavailable } from "../../../engine/kernel/kv.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import { type AttentionItem, attentionOperation } from "../../../engine/payments/attention.ts";
import { createHistoryStore, type PendingLoss } from "../../../storage/kv/history-store.ts";
import type { RedisKv } from "../../../storage/kv/redis.ts";
import type { HistoryLost } from "../../../storage/kv/redis-connection.ts";
import type { Log } from "../observability/log.ts";

/** A Redis that has just come back takes a while to answer. */
const RETRY_MS = 1_000;
/** After ten minutes the log has the window as far as it is known, and the item is left out. */
const ATTEMPTS_MAX = 600;

/** Acknowledged commits of this time are gone; `certain` false: they may be. */
export interface LossWindow {
  certain: boolean;
  lostFromMs: number;
  lostUntilMs: number;
}

/** Reports lost commits to operators: in the log, as a metric, and as one item for all nodes that needs attention. */
export interface LostCommits {
  /** A connection of this node has found a loss, or heard of one. Each of them says so; it is reported once. */
  noticed(loss: Pick<HistoryLost, "certain" | "lostVersion">): void;
  /** The start has found that the store was taken back; the store can be written again. Rejects with StorageUnavailable. */
  restored(window: LossWindow): Promise<void>;
  /** Losses since the start of this node. */
  count(): number;
  stop(): void;
}

export interface LostCommitsOptions {
  kv: Kv;
  /** The store of a cluster; null for a single node, whose store loses nothing while it is open. */
  redis: Pick<RedisKv, "lostFrom" | "versionsPerMs"> | null;
  timers: Timers;
  nowMs(): number;
  log: Pick<Log, "commitsLost" | "storeRestored" | "storeFailed">;
}

export function createLostCommits({ kv, redis, timers, nowMs, log }: LostCommitsOptions): LostCommits {
  const history = createHistoryStore(kv);
  let count = 0;
  let latest = { certain: false, lostVersion: 0 };
  let isStopped = false;
  const retries = new Set<Timer>();

  async function report({ certain, lostVersion }: typeof latest, lostUntilMs: number, attempt: number): Promise<void> {
    if (redis === null) return;
    const from = await redis.lostFrom().catch(() => null);
    if (from === null && attempt < ATTEMPTS_MAX) return later(() => report({ certain, lostVersion }, lostUntilMs, attempt + 1));
    const lostFromMs = Math.floor((from ?? lostVersion) / redis.versionsPerMs);
    const window = { certain, lostFromMs, lostUntilMs: Math.max(lostUntilMs, lostFromMs) };
    log.commitsLost(window);
    const pending = {
      lostVersion: from ?? lostVersion,
      aboveVersion: lostVersion,
      certain,
      acknowledged: false,
      foundAtMs: window.lostUntilMs,
    };
    await store(window, pending, attempt);
  }

  async function store(window: LossWindow, pending: PendingLoss, attempt: number): Promise<void> {
    try {
      // The next start of a node loads back what ClickHouse has of that time.
      await history.recordLoss(pending);
      await kv.commit(itemOf(window, nowMs()));
    } catch (error) {
      if (!(error instanceof StorageUnavailable) || attempt >= ATTEMPTS_MAX) log.storeFailed(error);
      else later(() => store(window, pending, attempt + 1));
    }
  }

  function later(work: () => Promise<void>): void {
    if (isStopped) return;
    const timer = timers.set(RETRY_MS, () => {
      retries.delete(timer);
      work().catch(log.storeFailed);
    });
    retries.add(timer);
  }

  return {
    noticed: (loss) => {
      const isNew = loss.lostVersion > latest.lostVersion;
      // A connection that has only heard of the loss may have been the first to say so.
      const isCertainNow = loss.lostVersion === latest.lostVersion && loss.certain && !latest.certain;
      if (!isNew && !isCertainNow) return;
      latest = { certain: loss.certain, lostVersion: loss.lostVersion };
      if (isNew) count += 1;
      report(latest, nowMs(), 1).catch(log.storeFailed);
    },
    restored: async (window) => {
      count += 1;
      log.storeRestored(window);
      await kv.commit(itemOf(window, nowMs()));
    },
    count: () => count,
    stop: () => {
      isStopped = true;
      for (const timer of retries) timer.clear();
    },
  };
}

/** One item for each loss, whichever node says so first; one that is certain replaces one that is not. */
function itemOf({ certain, lostFromMs, lostUntilMs }: LossWindow, atMs: number): Commit {
  const [from, until] = [new Date(lostFromMs).toISOString(), new Date(lostUntilMs).toISOString()];
  const what = certain ? "The store has lost" : "The store may have lost";
  const detail = `${what} commits that it had acknowledged between ${from} and ${until}: the relay may not know payments of that time, and would charge them again if they are retried (infra/docs/runbooks/RelayStoreLostCommits.md)`;
  const item: AttentionItem = { kind: "store_lost_commits", terminalId: "", uuid: from, atMs, detail, raw: null };
  const operation = attentionOperation(item);
  return { checks: certain ? [] : [{ key: operation.key, version: 0 }], operations: [operation] };
}
