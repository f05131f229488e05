import type { Bus } from "../../../engine/kernel/bus.ts";
import type { MerchantLogs } from "../../../engine/operators/merchant-logs.ts";
import type { ActivityWriter } from "../../../storage/activity/activity-writer.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";

export interface MerchantLogsOptions {
  bus: Pick<Bus<NodeProtocol>, "handle">;
  activity: Pick<ActivityWriter, "add">;
  logs: MerchantLogs;
  /** Told why ClickHouse failed, which callers are not. */
  failed(cause: unknown): void;
}

/** Takes the shards' entries of the activity log in, and answers their questions about merchants'. */
export function handleMerchantLogs({ bus, activity, logs, failed }: MerchantLogsOptions): void {
  async function told<T>(gone: AbortSignal | undefined, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (gone?.aborted !== true && error instanceof Error && error.cause !== undefined) failed(error.cause);
      throw error;
    }
  }

  bus.handle("node.activity", (batch) => {
    activity.add(batch);
    return undefined;
  });
  bus.handle("node.merchantWorkflowLog", ({ merchantId, ...query }, _, gone) => told(gone, logs.workflow(merchantId, query, gone)));
  bus.handle("node.merchantCallLog", ({ merchantId, ...query }, _, gone) => told(gone, logs.calls(merchantId, query, gone)));
}
