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
    "The rows of `GET /api/merchant/transactions` with the same filters, all of them, newest first, as they are when the download begins. UTF-8 with a byte order mark; times are local, in the zone that the heading names; amounts are in units of their currency, net by the day of the payment, with a decimal comma and semicolons between the columns for `it`. A text that a spreadsheet would take for a formula begins with an apostrophe, as does such a part of one behind a comma, a semicolon, a tab or a line break. A code that a spreadsheet would change to another number (leading zeros, 16 digits or more, digits with an `E` between them) begins with one, too. At most two at once of one merchant, else 429. A download that breaks off was not complete.",
  auth: "merchantUserOrKey",
  may: "operate",
  rateLimit: PORTAL_RATE,
  query: Type.Object({ ...TRANSACTION_FILTERS, lang: Type.Optional(LocaleWord) }),
  responses: {
    200: {
      description: "The rows.",
      stream: true,
      contentType: "text/csv; charset=utf-8",
      headers: { "Content-Disposition": { description: "A file name with the merchant and the days." } },
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
      // Before anything is answered: what cannot be read now is a 503, and not a file that breaks off.
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

/** Rows that are written in one turn: a millisecond or two, so that payments do not wait for a download. */
const ROWS_AT_ONCE = 250;

type Batches = AsyncIterator<readonly MerchantTransaction[]>;

/**
 * The file in pieces. An iterator by hand, since a generator that was never begun ends without its `finally`, and who asked may be gone before the first
 * piece is read.
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
