import type { ActivityLog } from "../../../../engine/kernel/activity-log.ts";
import type { Bus } from "../../../../engine/kernel/bus.ts";
import type { MerchantLogs } from "../../../../engine/operators/merchant-logs.ts";
import { type ActivityBatch, createActivityBatches } from "../../../../storage/activity/activity-batches.ts";
import type { Lifecycle } from "../../boot/lifecycle.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";

/** The main thread only takes a batch in; one that does not within this time is lost, and the next one is handed over. */
const HAND_OVER_MS = 2_000;

/** How long the main thread may take for a page: it gives up after three seconds by itself. */
const PAGE_TIMEOUT_MS = 8_000;

export interface ActivityLogParts {
  bus: Bus<NodeProtocol>;
  /** Unique among all writers. */
  writer: string;
}

export interface ComposedActivityLog extends Lifecycle {
  activity: ActivityLog;
  /** What is written of merchants, as the main thread reads it. */
  merchantLogs: MerchantLogs;
}

/** The activity log of a shard: each second its entries go to the main thread, which writes them. Whoever writes an entry waits for nothing. */
export function composeActivityLog({ bus, writer }: ActivityLogParts): ComposedActivityLog {
  const { log, take } = createActivityBatches({ writer });
  let underWay: Promise<void> | null = null;
  /** Of batches that the main thread did not take in; told to it with the next one. */
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
      // What came while the last batch was handed over goes after it.
      await flush();
      await flush();
    },
  };
}
