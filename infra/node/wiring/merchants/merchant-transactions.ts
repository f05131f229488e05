import { randomUUID } from "node:crypto";
import type { Bus } from "../../../../engine/kernel/bus.ts";
import type {
  MerchantTransaction,
  MerchantTransactionFilter,
  MerchantTransactions,
} from "../../../../engine/payments/merchant-transactions.ts";
import type { MerchantReports } from "../../../../engine/reports/merchant-reports.ts";
import { reportsOf } from "../../../../storage/reports/merchant-reports.ts";
import { readLine } from "../../../../storage/transactions/merchant-queries.ts";
import type { NodeProtocol } from "../../boot/node-protocol.ts";
import { MAIN } from "../../boot/shard-boot.ts";

/** The time limit of the main thread for a page. It normally gives up after three seconds. */
const PAGE_TIMEOUT_MS = 8_000;

/** The time limit of a report, which may wait as long for its turn as it may run. */
const REPORT_TIMEOUT_MS = 8_000;

/**
 * The time limit of a batch of a file: its turn and its query
 * (storage/transactions/merchant-transactions.ts).
 */
const BATCH_TIMEOUT_MS = 60_000;

/** The transactions and reports of merchants. The main thread reads and creates them. */
export function composeMerchantTransactions(bus: Bus<NodeProtocol>): {
  merchantTransactions: MerchantTransactions;
  merchantReports: MerchantReports;
} {
  async function* stream(
    merchantId: string,
    filter: MerchantTransactionFilter,
    gone?: AbortSignal,
  ): AsyncGenerator<readonly MerchantTransaction[]> {
    // The caller chooses the id, so the stream can be closed while its first batch is still being
    // read.
    const id = randomUUID();
    try {
      let lines = await bus.request(MAIN, "node.merchantOpen", { id, merchantId, filter }, BATCH_TIMEOUT_MS, gone);
      while (lines !== null) {
        yield lines.map(readLine);
        lines = await bus.request(MAIN, "node.merchantNext", { id }, BATCH_TIMEOUT_MS, gone);
      }
    } finally {
      bus.send(MAIN, "node.merchantClose", { id });
    }
  }
  const merchantTransactions: MerchantTransactions = {
    page: (merchantId, query, gone) => bus.request(MAIN, "node.merchantPage", { merchantId, ...query }, PAGE_TIMEOUT_MS, gone),
    find: (merchantId, uuid, gone) => bus.request(MAIN, "node.merchantFind", { merchantId, uuid }, PAGE_TIMEOUT_MS, gone),
    sums: (merchantId, { fromMs, untilMs }, gone) =>
      bus.request(MAIN, "node.merchantSums", { merchantId, fromMs, untilMs }, PAGE_TIMEOUT_MS, gone),
    latestByTerminal: async (merchantId, gone) => {
      const latest = await bus.request(MAIN, "node.merchantLatest", { merchantId }, PAGE_TIMEOUT_MS, gone);
      return new Map(latest.map((item) => [item.transaction.terminalId, item]));
    },
    stream,
  };
  const merchantReports = reportsOf((name, owner, query, gone) => {
    return bus.request(MAIN, "node.merchantReport", { name, owner, query }, REPORT_TIMEOUT_MS, gone);
  });
  return { merchantTransactions, merchantReports };
}
