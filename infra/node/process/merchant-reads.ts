import { randomUUID } from "node:crypto";
import type { Bus } from "../../../engine/kernel/bus.ts";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { Timer, Timers } from "../../../engine/kernel/timers.ts";
import type { MerchantReportReader } from "../../../storage/feed/merchant-reports.ts";
import type { MerchantTransactionReader } from "../../../storage/feed/merchant-transactions.ts";
import type { NodeProtocol } from "../boot/node-protocol.ts";

/** A file whose shard has not asked for its next batch for this long ends: the shard has stopped, or the client reads no more. */
const IDLE_MS = 120_000;

interface OpenFile {
  batches: AsyncGenerator<readonly string[]>;
  idle: Timer;
}

export interface MerchantReadsOptions {
  bus: Pick<Bus<NodeProtocol>, "handle">;
  merchants: MerchantTransactionReader;
  reports: MerchantReportReader;
  timers: Timers;
  /** Told why ClickHouse failed, which callers are not. */
  failed(cause: unknown): void;
}

/** Answers the shards' questions about merchants' transactions, and makes their reports. Files of rows are bounded by their turns (storage/feed/merchant-turns.ts). */
export function handleMerchantReads({ bus, merchants, reports, timers, failed }: MerchantReadsOptions): void {
  const files = new Map<string, OpenFile>();

  async function told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof Error && error.cause !== undefined) failed(error.cause);
      throw error;
    }
  }

  async function close(id: string): Promise<void> {
    const file = files.get(id);
    if (file === undefined) return;
    files.delete(id);
    file.idle.clear();
    await file.batches.return(undefined);
  }

  async function next(id: string, batches: AsyncGenerator<readonly string[]>): Promise<readonly string[] | null> {
    files.get(id)?.idle.clear();
    files.delete(id);
    const { done, value } = await told(batches.next());
    if (done === true) return null;
    files.set(id, { batches, idle: timers.set(IDLE_MS, () => void close(id)) });
    return value;
  }

  bus.handle("node.merchantPage", ({ merchantId, ...query }) => told(merchants.page(merchantId, query)));
  bus.handle("node.merchantFind", ({ merchantId, uuid }) => told(merchants.find(merchantId, uuid)));
  bus.handle("node.merchantSums", ({ merchantId, ...range }) => told(merchants.sums(merchantId, range)));
  bus.handle("node.merchantLatest", async ({ merchantId }) => [...(await told(merchants.latestByTerminal(merchantId))).values()]);
  bus.handle("node.merchantReport", ({ name, owner, query }) => told(reports.text(name, owner, query)));
  bus.handle("node.merchantOpen", async ({ merchantId, filter }) => {
    const id = randomUUID();
    return { id, lines: await next(id, merchants.lines(merchantId, filter)) };
  });
  bus.handle("node.merchantNext", ({ id }) => {
    const file = files.get(id);
    if (file === undefined) throw new RelayError("unavailable", "The file has ended; request it again", { retryAfterSeconds: 1 });
    return next(id, file.batches);
  });
  bus.handle("node.merchantClose", async ({ id }) => {
    await close(id);
    return undefined;
  });
}
