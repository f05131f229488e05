import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../engine/kernel/clock.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import { isSameUuid } from "../../engine/kernel/identifiers.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import type {
  MerchantDay,
  MerchantTransaction,
  MerchantTransactionFilter,
  MerchantTransactionPage,
  MerchantTransactionQuery,
  MerchantTransactions,
  TransactionKey,
} from "../../engine/payments/merchant-transactions.ts";
import { isPayment } from "../../engine/payments/payment.ts";
import { LATEST_MS } from "../feed/row-binary.ts";
import { dayOf, hasHours } from "./merchant-day.ts";
import { isOlder, newestFirst } from "./merchant-order.ts";
import { pageOf } from "./merchant-page.ts";
import { lineOf, MerchantQueries, readLine } from "./merchant-queries.ts";
import { isRefundable, matches, rangeOf } from "./merchant-sql.ts";
import { merchantLines } from "./merchant-stream.ts";
import { MerchantTurns } from "./merchant-turns.ts";
import { createOutboxLooks } from "./outbox-looks.ts";
import { SharedResults } from "./shared-results.ts";
import { either, translated } from "./translated.ts";
import { newestObjects, objectsWithoutStored } from "./waiting-objects.ts";
import { keyText, newestOf, withoutStored } from "./waiting-rows.ts";

/** Limits the total time of a page: searches of the outbox, turns and queries. */
const DEADLINE_MS = 3_000;
/** The part of the time that may pass before a turn. */
const TURN_MS = 1_000;

/** Limits of a batch of a file: the query, and the wait for its turn. */
const BATCH_SECONDS = 10;
const BATCH_TURN_MS = 30_000;
/**
 * The lines that a batch passes at once to a thread that also answers payments. It reads them in
 * one or two milliseconds.
 */
const HANDED_ROWS = 500;

/** A file of millions of rows takes minutes. A file that nobody reads any more ends. */
const STREAM_MS_MAX = 15 * 60_000;

/**
 * Limits the searched rows of the outbox. The feed delivers them within a second or two while
 * ClickHouse runs. The limit is lower than for a terminal's list (transaction-list.ts), because
 * merchants' pages are read repeatedly, and each search reads all rows.
 */
const BACKLOG_ROWS_MAX = 20_000;
/** After an excess, no search runs for this time. */
const BACKLOG_AGAIN_MS = 2_000;

/**
 * Limits a merchant's rows that ClickHouse does not have, because their keys are part of each
 * query's address.
 */
export const WAITING_ROWS_MAX = 1_500;

/**
 * Limits the rows that differ only in case and terminal. The newest one with the right spelling is
 * wanted.
 */
const SPELLINGS_MAX = 100;

const DAY_MS = 86_400_000;

const LATEST_WITHIN_MS = 31 * DAY_MS;

/**
 * Callers share sums and latest transactions for this time, because pages request them every few
 * seconds.
 */
const SUMS_KEEP_MS = 15_000;
const LATEST_KEEP_MS = 5_000;
/**
 * Limits the merchants whose results are kept. Sums take some kilobytes, and latest transactions a
 * kilobyte per terminal.
 */
const SUMS_KEPT_MAX = 512;
const LATEST_KEPT_MAX = 64;

export interface MerchantTransactionsOptions {
  kv: Kv;
  /** Separate connections, so that the feed and the terminals' lists never wait for one. */
  client: ClickHouseClient;
  clock: Clock;
  timers: Timers;
  /**
   * `Feed.deliveredUntil` if the feed runs in this process. Otherwise the outbox is read from its
   * start.
   */
  deliveredUntil?: () => string | null;
}

/** Adds the rows of `stream` as text, which passes between threads. `readLine` reads each. */
export interface MerchantTransactionReader extends MerchantTransactions {
  lines(merchantId: string, filter: MerchantTransactionFilter, gone?: AbortSignal): AsyncGenerator<readonly string[]>;
}

/** Reads ClickHouse's `relay.merchant_transactions` and the rows that are not there yet. */
export function createMerchantTransactions(options: MerchantTransactionsOptions): MerchantTransactionReader {
  const reader = new Reader(options);
  return {
    page: (merchantId, query, gone) => reader.page(merchantId, query, gone),
    find: (merchantId, uuid, gone) => reader.find(merchantId, uuid, gone),
    sums: (merchantId, range, gone) => reader.sums(merchantId, range, gone),
    latestByTerminal: (merchantId, gone) => reader.latestByTerminal(merchantId, gone),
    lines: (merchantId, filter, gone) => reader.lines(merchantId, filter, gone),
    stream: (merchantId, filter, gone) => read(reader.lines(merchantId, filter, gone)),
  };
}

/** Converts lines to rows. */
export async function* read(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly MerchantTransaction[]> {
  for await (const lines of batches) yield lines.map(readLine);
}

/** The reader of an installation without ClickHouse. Callers get `reason`. */
export function missingMerchantTransactions(reason: string): MerchantTransactionReader {
  const missing = () =>
    Promise.reject(new RelayError("unavailable", `This node cannot read transactions: ${reason}`, { retryAfterSeconds: 5 }));
  async function* none(): AsyncGenerator<never> {
    yield await missing();
  }
  return { page: missing, find: missing, sums: missing, latestByTerminal: missing, lines: none, stream: none };
}

/** Selects everything that is stored under a uuid. */
const ALL = { results: "all" } as const satisfies MerchantTransactionFilter;

const AWAY_TEXT =
  "Transactions cannot be read now, because ClickHouse does not respond; retry later. Payments and their results are not affected.";
const LATE_TEXT = "Transactions could not be read in time; choose fewer days, or retry.";
const BACKLOG_TEXT = "Transactions cannot be read now, because too many results are not in ClickHouse yet; retry later.";

/** The context of the queries within one deadline, or of one file. */
interface Asking {
  queries: MerchantQueries;
  /** The rows that ClickHouse does not have, each in its highest version. Some may not match. */
  waiting: readonly WaitingRow[];
}

/** A row with its refunded amount. */
interface WaitingRow {
  row: TransactionRow;
  refundedMinor: number;
}

class Reader {
  readonly #options: MerchantTransactionsOptions;
  readonly #looks: ReturnType<typeof createOutboxLooks>;
  readonly #turns: MerchantTurns;
  readonly #sums: SharedResults<MerchantDay>;
  readonly #latest: SharedResults<ReadonlyMap<string, MerchantTransaction>>;
  #backlogAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: MerchantTransactionsOptions) {
    const { kv, clock, timers, deliveredUntil } = options;
    this.#options = options;
    this.#looks = createOutboxLooks(kv, deliveredUntil ?? (() => null), BACKLOG_ROWS_MAX);
    this.#turns = new MerchantTurns(timers);
    this.#sums = new SharedResults({ clock, keepMs: SUMS_KEEP_MS, max: SUMS_KEPT_MAX });
    this.#latest = new SharedResults({ clock, keepMs: LATEST_KEEP_MS, max: LATEST_KEPT_MAX });
  }

  page(merchantId: string, query: MerchantTransactionQuery, gone: AbortSignal | undefined): Promise<MerchantTransactionPage> {
    const nowMs = this.#options.clock.nowMs();
    return this.#inTime(merchantId, gone, ({ queries, waiting }) =>
      pageOf({ queries, waiting: (filter) => listedOf(waiting, filter), nowMs }, query),
    );
  }

  find(merchantId: string, uuid: string, gone: AbortSignal | undefined): Promise<MerchantTransaction | null> {
    return this.#inTime(merchantId, gone, async ({ queries, waiting }) => {
      const listed = listedOf(waiting, ALL).filter(({ key }) => isSameUuid(key.uuid, uuid));
      const spelled = await queries.keys(ALL, { ...rangeOf({}), uuids: [uuid] }, SPELLINGS_MAX);
      const stored = spelled.filter((key) => isSameUuid(key.uuid, uuid));
      const [newest] = [...stored, ...listed.map(({ key }) => key)].sort(newestFirst);
      if (newest === undefined) return null;
      const ofWaiting = listed.find(({ key }) => key === newest);
      if (ofWaiting !== undefined) return ofWaiting.found;
      return (await queries.items(ALL, [newest])).get(keyText(newest)) ?? null;
    });
  }

  async sums(merchantId: string, range: { fromMs: number; untilMs: number }, gone: AbortSignal | undefined): Promise<MerchantDay> {
    const { fromMs, untilMs } = rangeOf(range);
    if (!hasHours({ fromMs, untilMs })) throw new RelayError("invalid_request", "Sums cover at most 400 days");
    const asked = (over: AbortSignal) =>
      this.#inTime(merchantId, over, async ({ queries, waiting }) => {
        const listed = listedOf(waiting, { fromMs, untilMs }).map(({ found }) => found.transaction);
        return dayOf({ fromMs, untilMs }, await queries.sums({ fromMs, untilMs }), listed);
      });
    return this.#sums.of(`${fromMs} ${untilMs} ${merchantId}`, asked, gone);
  }

  latestByTerminal(merchantId: string, gone: AbortSignal | undefined): Promise<ReadonlyMap<string, MerchantTransaction>> {
    const asked = (over: AbortSignal) =>
      this.#inTime(merchantId, over, async ({ queries, waiting }) => {
        const fromMs = this.#options.clock.nowMs() - LATEST_WITHIN_MS;
        const stored = await queries.latest(fromMs);
        const items = await queries.items(ALL, stored);
        const latest = new Map<string, MerchantTransaction>();
        for (const item of [...items.values(), ...listedOf(waiting, { ...ALL, fromMs }).map(({ found }) => found)]) {
          const known = latest.get(item.transaction.terminalId);
          if (known === undefined || isOlder(known.transaction, item.transaction)) latest.set(item.transaction.terminalId, item);
        }
        return latest;
      });
    return this.#latest.of(merchantId, asked, gone);
  }

  async *lines(merchantId: string, filter: MerchantTransactionFilter, gone: AbortSignal | undefined): AsyncGenerator<readonly string[]> {
    const giveBack = this.#turns.stream(merchantId);
    const ended = new AbortController();
    const signal = either(ended.signal, gone);
    const timer = this.#options.timers.set(STREAM_MS_MAX, () => {
      ended.abort();
      giveBack();
    });
    try {
      const { queries, waiting } = await this.#translated(signal, () => this.#asking(merchantId, signal, BATCH_SECONDS));
      const batches = merchantLines({
        filter,
        waiting: listedOf(waiting, filter).map(({ key, found }) => ({ key, line: lineOf(found) })),
        ask: (work) => this.#translated(signal, () => this.#turns.run(merchantId, BATCH_TURN_MS, () => work(queries), signal)),
      });
      for await (const lines of oneAhead(batches, signal)) {
        for (let start = 0; start < lines.length; start += HANDED_ROWS) yield lines.slice(start, start + HANDED_ROWS);
      }
    } finally {
      timer.clear();
      ended.abort();
      giveBack();
    }
  }

  /** Runs `work` in the merchant's turn and within the deadline of a page. */
  async #inTime<T>(merchantId: string, gone: AbortSignal | undefined, work: (asking: Asking) => Promise<T>): Promise<T> {
    const late = new AbortController();
    const signal = either(late.signal, gone);
    const asked = async () => work(await this.#asking(merchantId, signal, DEADLINE_MS / 1_000));
    const timer = this.#options.timers.set(DEADLINE_MS, () => late.abort());
    try {
      return await this.#translated(signal, () => this.#turns.run(merchantId, TURN_MS, asked, gone));
    } finally {
      timer.clear();
    }
  }

  /**
   * Reads the outbox before ClickHouse, so a row that leaves the outbox afterwards is in
   * ClickHouse.
   */
  async #asking(merchantId: string, signal: AbortSignal, secondsMax: number): Promise<Asking> {
    const { clock, client } = this.#options;
    const backlog = () => new RelayError("unavailable", BACKLOG_TEXT, { retryAfterSeconds: 5 });
    if (clock.monotonicMs() - this.#backlogAtMs < BACKLOG_AGAIN_MS) throw backlog();
    const id = JSON.stringify(merchantId);
    const [ofPayments, ofRefunds] = await Promise.all([this.#looks.find(`"shop":${id}`), this.#looks.find(`"merchantId":${id}`)]);
    if (ofPayments === null || ofRefunds === null) {
      this.#backlogAtMs = clock.monotonicMs();
      throw backlog();
    }
    const newest = newestOf(ofPayments, ({ shop }) => shop === merchantId);
    const newestRefunds = newestObjects(ofRefunds, merchantId).filter(({ object }) => object === "refund");
    if (newest.length + newestRefunds.length > WAITING_ROWS_MAX) throw backlog();
    const options = { client, merchantId, signal, secondsMax };
    const before = new MerchantQueries({ ...options, replaced: [], refunds: [] });
    const uuids = newest.map(({ transaction }) => transaction.uuid);
    const [rows, refunds] = await Promise.all([
      withoutStored(newest, (fromMs, toMs) => before.versions(uuids, fromMs, toMs)),
      objectsWithoutStored(newestRefunds, merchantId, (sql) => before.ask(sql)),
    ]);
    const queries = new MerchantQueries({ ...options, replaced: rows.map(({ transaction }) => keyText(transaction)), refunds });
    return { queries, waiting: await withRefunds(rows, queries) };
  }

  /** Converts an error to one that a caller may see. */
  #translated<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    return translated(signal, { late: LATE_TEXT, away: AWAY_TEXT }, work);
  }
}

/**
 * Requests the next batch while the reader uses the current one. The request ends with its reader.
 */
async function* oneAhead<T>(batches: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  let next = batches.next();
  while (!signal.aborted) {
    const { done, value } = await next;
    if (done === true) return;
    next = batches.next();
    // The next read reports the error. Without a next read, it is irrelevant.
    next.catch(() => undefined);
    yield value;
  }
  throw new RelayError("unavailable", LATE_TEXT, { retryAfterSeconds: 5 });
}

async function withRefunds(rows: readonly TransactionRow[], queries: MerchantQueries): Promise<WaitingRow[]> {
  const paid = rows.map(({ transaction }) => transaction).filter(isRefundable);
  if (paid.length === 0) return rows.map((row) => ({ row, refundedMinor: 0 }));
  const fromMs = paid.reduce((oldest, { createdAtMs }) => Math.min(oldest, createdAtMs), LATEST_MS);
  const refunded = await queries.refunded(
    paid.map(({ uuid }) => uuid),
    fromMs,
  );
  return rows.map((row) => ({ row, refundedMinor: isRefundable(row.transaction) ? (refunded.get(row.transaction.uuid) ?? 0) : 0 }));
}

/** Returns the matching rows, newest first. */
function listedOf(
  waiting: readonly WaitingRow[],
  filter: MerchantTransactionFilter,
): { key: TransactionKey; found: MerchantTransaction }[] {
  return waiting
    .filter(({ row, refundedMinor }) => matches(row, filter, refundedMinor))
    .map(({ row, refundedMinor }) => {
      const { transaction, amountDiffers, unsolicited } = row;
      const { createdAtMs, uuid, terminalId } = transaction;
      return {
        key: { createdAtMs, uuid, terminalId },
        found: { transaction, amountDiffers, unsolicited, isPayment: isPayment(row), refundedMinor },
      };
    })
    .sort(({ key: one }, { key: other }) => newestFirst(one, other));
}
