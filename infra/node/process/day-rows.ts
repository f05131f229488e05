import type { Bus } from "../../../engine/kernel/bus.ts";
import type { ReconciliationRows } from "../../../engine/reconciliation/reconciliation-rows.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";

export interface DayRowsOptions {
  bus: Pick<Bus<NodeProtocol>, "handle">;
  rows: ReconciliationRows;
  /** Told why ClickHouse failed, which callers are not. */
  failed(cause: unknown): void;
}

/** Answers what the shard that closes days asks of ClickHouse. */
export function handleDayRows({ bus, rows, failed }: DayRowsOptions): void {
  async function told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Error && error.cause !== undefined) failed(error.cause);
      throw error;
    }
  }
  bus.handle("node.dayRowsThere", ({ untilMs }) => told(rows.areThere(untilMs)));
  bus.handle("node.dayMerchants", ({ after, limit, ...range }) => told(rows.merchants(range, after, limit)));
  bus.handle("node.dayRefundedSince", ({ merchantId, fromMs }) => told(rows.refundedSince(merchantId, fromMs)));
  bus.handle("node.dayFigures", async ({ merchantId, days }) => [...(await told(rows.figures(merchantId, days)))]);
}
