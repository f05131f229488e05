import type { Bus } from "../../../engine/kernel/bus.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import type { MerchantReportReader } from "../../../storage/reports/merchant-reports.ts";
import type { MerchantTransactionReader } from "../../../storage/transactions/merchant-transactions.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";

/** A file whose shard has not asked for its next batch for this long ends: the shard has stopped, or the client reads no more. */
const IDLE_MS = 120_000;

interface OpenFile {
  batches: AsyncGenerator<readonly string[]>;
  /** Ends the query that reads a batch. */
  ended: AbortController;
  /** Null while a batch is read. */
  idle: Timer | null;
}

export interface MerchantReadsOptions {
  bus: Pick<Bus<NodeProtocol>, "handle">;
  merchants: MerchantTransactionReader;
  reports: MerchantReportReader;
  timers: Timers;
  /** Told why ClickHouse failed, which callers are not. */
  failed(cause: unknown): void;
}

/** Answers the shards' questions about merchants' transactions, and makes their reports. Files of rows are bounded by their turns (storage/transactions/merchant-turns.ts). */
export function handleMerchantReads({ bus, merchants, reports, timers, failed }: MerchantReadsOptions): void {
  const files = new Map<string, OpenFile>();

  async function told<T>(gone: AbortSignal | undefined, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (gone?.aborted !== true && error instanceof Error && error.cause !== undefined) failed(error.cause);
      throw error;
    }
  }

  async function close(id: string): Promise<void> {
    const file = files.get(id);
    if (file === undefined) return;
    files.delete(id);
    file.idle?.clear();
    file.ended.abort(new RelayError("request_timeout", "Nobody reads the file any more"));
    await file.batches.return(undefined);
  }

  async function next(id: string, file: OpenFile): Promise<readonly string[] | null> {
    file.idle?.clear();
    file.idle = null;
    try {
      const { done, value } = await told(file.ended.signal, file.batches.next());
      if (done !== true && files.has(id)) {
        file.idle = timers.set(IDLE_MS, () => void close(id));
        return value;
      }
    } catch (error) {
      files.delete(id);
      throw error;
    }
    files.delete(id);
    return null;
  }

  bus.handle("node.merchantPage", ({ merchantId, ...query }, _, gone) => told(gone, merchants.page(merchantId, query, gone)));
  bus.handle("node.merchantFind", ({ merchantId, uuid }, _, gone) => told(gone, merchants.find(merchantId, uuid, gone)));
  bus.handle("node.merchantSums", ({ merchantId, ...range }, _, gone) => told(gone, merchants.sums(merchantId, range, gone)));
  bus.handle("node.merchantLatest", async ({ merchantId }, _, gone) => [
    ...(await told(gone, merchants.latestByTerminal(merchantId, gone))).values(),
  ]);
  bus.handle("node.merchantReport", ({ name, owner, query }, _, gone) => told(gone, reports.text(name, owner, query, gone)));
  bus.handle("node.merchantOpen", ({ id, merchantId, filter }) => {
    const ended = new AbortController();
    const file: OpenFile = { batches: merchants.lines(merchantId, filter, ended.signal), ended, idle: null };
    files.set(id, file);
    return next(id, file);
  });
  bus.handle("node.merchantNext", ({ id }) => {
    const file = files.get(id);
    if (file === undefined) throw new RelayError("unavailable", "The file has ended; request it again", { retryAfterSeconds: 1 });
    return next(id, file);
  });
  bus.handle("node.merchantClose", async ({ id }) => {
    await close(id);
    return undefined;
  });
}
