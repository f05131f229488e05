import { Type } from "@sinclair/typebox";
import { RelayError } from "../../../engine/kernel/errors.ts";
import type { MerchantTransaction } from "../../../engine/payments/merchant-transactions.ts";
import { LocaleWord } from "../parts/schemas.ts";
import { reads } from "./reads.ts";
import { MERCHANT_BASE, merchantOf, PORTAL_RATE } from "./surface.ts";
import { filterOf } from "./transaction-query.ts";
import { TRANSACTION_FILTERS } from "./transaction-schemas.ts";
import { type TransactionsCsv, transactionsCsv } from "./transactions-csv.ts";

export const exportMerchantTransactions = reads.endpoint({
  name: "merchantTransactionsCsv",
  method: "GET",
  path: `${MERCHANT_BASE}/transactions.csv`,
  summary: "Download transactions as CSV",
  description:
    "Returns all rows of `GET /api/merchant/transactions` with the same filters, newest first, as they are when the download begins. The file is UTF-8 with a byte order mark. Times are local, in the zone that the heading names. Amounts are in units of their currency, with refunds subtracted on the day of the payment. For `it` they have a decimal comma, and semicolons separate the columns. A text that a spreadsheet would read as a formula begins with an apostrophe, as does such a part of a text after a comma, a semicolon, a tab or a line break. A code that a spreadsheet would change to another number (leading zeros, 16 digits or more, digits with an `E` between them) begins with an apostrophe, too. A merchant may run at most two downloads at once, otherwise the response is 429. A download that is cut off is incomplete.",
  auth: "merchantUserOrKey",
  may: "operate",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...TRANSACTION_FILTERS, lang: Type.Optional(LocaleWord) }),
  responses: {
    200: {
      description: "The rows.",
      stream: true,
      contentType: "text/csv; charset=utf-8",
      headers: { "Content-Disposition": { description: "`attachment`, with a file name that has the merchant and the days." } },
    },
    ...reads.errors(400, 401, 403, 429, 503),
  },
  handle: async ({ merchantTransactions, downloads, localTime, clock }, { caller, query, request }) => {
    const merchantId = merchantOf(caller);
    const filter = filterOf(query, localTime);
    if (!downloads.take(merchantId)) {
      throw new RelayError("rate_limited", "Two downloads of this merchant are running; wait for one to end", { retryAfterSeconds: 5 });
    }
    const release = once(() => downloads.giveBack(merchantId));
    try {
      const batches = merchantTransactions.stream(merchantId, filter, request.gone)[Symbol.asyncIterator]();
      // The first batch is read before the response starts, so that a failed query is a 503 and not
      // a truncated file.
      const first = await batches.next();
      const days = `${query.from ?? "until"}_${query.to ?? localTime.dayOf(clock.nowMs())}`;
      return {
        status: 200,
        stream: piecesOf(transactionsCsv(query.lang ?? "it", localTime), first, batches, release),
        headers: { "Content-Disposition": `attachment; filename="transactions_${merchantId}_${days}.csv"` },
      };
    } catch (error) {
      release();
      throw error;
    }
  },
});

/**
 * Rows written in one turn. They take a millisecond or two, so that payments do not wait for a
 * download.
 */
const ROWS_AT_ONCE = 250;

type Batches = AsyncIterator<readonly MerchantTransaction[]>;

/**
 * Returns the file in pieces. The iterator is written by hand, because the caller may be gone
 * before the first piece is read, and a generator that never started does not run its `finally`.
 */
function piecesOf(
  csv: TransactionsCsv,
  first: IteratorResult<readonly MerchantTransaction[]>,
  batches: Batches,
  release: () => void,
): AsyncIterable<string> {
  const pieces = csvPieces(csv, first, batches);
  const end = async () => {
    release();
    await batches.return?.();
    return { done: true as const, value: undefined };
  };
  const iterator: AsyncIterator<string> = {
    next: async () => {
      try {
        const piece = await pieces.next();
        return piece.done === true ? await end() : piece;
      } catch (error) {
        release();
        throw error;
      }
    },
    return: end,
  };
  return { [Symbol.asyncIterator]: () => iterator };
}

async function* csvPieces(
  csv: TransactionsCsv,
  first: IteratorResult<readonly MerchantTransaction[]>,
  batches: Batches,
): AsyncGenerator<string, void> {
  yield csv.head;
  for (let batch = first; batch.done !== true; batch = await batches.next()) {
    for (let begin = 0; begin < batch.value.length; begin += ROWS_AT_ONCE) yield csv.lines(batch.value.slice(begin, begin + ROWS_AT_ONCE));
  }
}

function once(work: () => void): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
