import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { MerchantLogs } from "../../../../engine/operators/merchant-logs.ts";
import { type ActivityBatch, createActivityBatches } from "../../../../storage/activity/activity-batches.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";

/**
 * The main thread only accepts a batch. If it does not within this time, the batch is lost and the
 * next one follows.
 */
const HAND_OVER_MS = 2_000;

/** The time limit of the main thread for a page. It normally gives up after three seconds. */
const PAGE_TIMEOUT_MS = 8_000;

export interface ActivityLogParts {
  bus: Bus<NodeProtocol>;
  /** Unique among all writers. */
  writer: string;
}

export interface ComposedActivityLog extends Lifecycle {
  activity: ActivityLog;
  /** The logs of merchants, which the main thread reads. */
  merchantLogs: MerchantLogs;
}

/**
 * The activity log of a shard. Its entries go to the main thread every second, which writes them.
 * Writing an entry never waits.
 */
export function composeActivityLog({ bus, writer }: ActivityLogParts): ComposedActivityLog {
  const { log, take } = createActivityBatches({ writer });
  let underWay: Promise<void> | null = null;
  /**
   * Counts entries of batches that the main thread did not accept. The next batch reports the
   * number.
   */
  let lost = 0;

  async function handOver({ lines, dropped }: ActivityBatch): Promise<void> {
    const missed = lost;
    lost = 0;
    try {
      await bus.request(MAIN, "node.activity", { lines, dropped: dropped + missed }, HAND_OVER_MS);
    } catch {
      lost += missed + dropped + lines.workflow_log.length + lines.call_log.length;
    }
  }

  function flush(): Promise<void> {
    if (underWay !== null) return underWay;
    const batch = take();
    if (batch === null) return Promise.resolve();
    underWay = handOver(batch).finally(() => {
      underWay = null;
    });
    return underWay;
  }

  return {
    activity: log,
    merchantLogs: {
      workflow: (merchantId, query, gone) => bus.request(MAIN, "node.merchantWorkflowLog", { merchantId, ...query }, PAGE_TIMEOUT_MS, gone),
      calls: (merchantId, query, gone) => bus.request(MAIN, "node.merchantCallLog", { merchantId, ...query }, PAGE_TIMEOUT_MS, gone),
    },
    everySecond: () => void flush(),
    drained: async () => {
      // The second flush sends entries that arrived during the first.
      await flush();
      await flush();
    },
  };
}
