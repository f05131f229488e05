import type { ClickHouseClient } from "@clickhouse/client";
import type { Clock } from "../../engine/kernel/clock.ts";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { Kv } from "../../engine/kernel/kv.ts";
import type { MerchantScope } from "../../engine/kernel/merchant-scope.ts";
import type { Timers } from "../../engine/kernel/timers.ts";
import type { TransactionRow } from "../../engine/payments/feed-row.ts";
import type { ObjectRow } from "../../engine/payments/object-row.ts";
import { type MerchantReports, REPORT_BUCKETS_MAX, type ReportKinds, type ReportName } from "../../engine/reports/merchant-reports.ts";
import { askClickHouse } from "../transactions/ask-clickhouse.ts";
import { MerchantQueries } from "../transactions/merchant-queries.ts";
import { MerchantTurns } from "../transactions/merchant-turns.ts";
import type { Sql, Waiting } from "../transactions/newest-rows.ts";
import { createOutboxLooks } from "../transactions/outbox-looks.ts";
import { SharedResults } from "../transactions/shared-results.ts";
import { either, translated } from "../transactions/translated.ts";
import { newestObjects, objectsWithoutStored } from "../transactions/waiting-objects.ts";
import { newestOf, withoutStored } from "../transactions/waiting-rows.ts";
import type { Asking, Counted } from "./buckets.ts";
import { agentsReport, disputesReport, linksReport } from "./object-reports.ts";
import { heatmapReport, methodsReport, paymentsReport, terminalsReport } from "./payment-reports.ts";
import { subscriptionsReport } from "./subscription-reports.ts";

/** Limits the wait for a turn, and the time of a report's outbox search and queries. */
const TURN_MS = 3_000;
const DEADLINE_MS = 3_000;

/**
 * Limits concurrent reports of all merchants. Each takes a thread of ClickHouse for some tenths of
 * a second, besides lists and the feed.
 */
const REPORTS_MAX = 2;

const MEMORY_BYTES_MAX = 256 * 1_048_576;

/** The same limit as for merchants' lists (merchant-transactions.ts). */
const BACKLOG_ROWS_MAX = 20_000;

/**
 * Waiting rows are part of each query's address, which the embedded ClickHouse limits to 256 KB.
 */
const WAITING_ROWS_MAX = 400;
const WAITING_BYTES_MAX = 60_000;

/** A repeatedly viewed report is computed once within this time. */
const KEEP_MS = 15_000;
/** Reports are kept as text: a year of days has about 50 KB, with methods some hundred. */
const KEPT_MAX = 128;

export interface MerchantReportsOptions {
  kv: Kv;
  /** Separate connections, with the workload of reports. */
  client: ClickHouseClient;
  clock: Clock;
  timers: Timers;
  /**
   * `Feed.deliveredUntil` if the feed runs in this process. Otherwise the outbox is read from its
   * start.
   */
  deliveredUntil?: () => string | null;
}

/** Reports as text, in the form that passes between threads. */
export interface MerchantReportReader {
  text(name: ReportName, owner: MerchantScope, query: ReportKinds[ReportName]["query"], gone?: AbortSignal): Promise<string>;
}

/** Combines ClickHouse with the rows that are not there yet. */
export function createMerchantReports(options: MerchantReportsOptions): MerchantReportReader {
  const reader = new Reader(options);
  return { text: (name, owner, query, gone) => reader.text(name, owner, query, gone) };
}

/** The reader of an installation without ClickHouse. Callers get `reason`. */
export function missingMerchantReports(reason: string): MerchantReportReader {
  return {
    text: () => Promise.reject(new RelayError("unavailable", `This node cannot compute reports: ${reason}`, { retryAfterSeconds: 5 })),
  };
}

/** Returns the parsed reports of a reader or of another thread. */
export function reportsOf(text: MerchantReportReader["text"]): MerchantReports {
  return { report: async (name, owner, query, gone) => JSON.parse(await text(name, owner, query, gone)) };
}

const COUNTED: { [Name in ReportName]: (asking: Asking, query: ReportKinds[Name]["query"]) => Promise<Counted<Name>> } = {
  payments: paymentsReport,
  methods: methodsReport,
  terminals: terminalsReport,
  heatmap: heatmapReport,
  links: linksReport,
  disputes: disputesReport,
  subscriptions: subscriptionsReport,
  agents: agentsReport,
};

const TEXTS = {
  away: "Reports cannot be computed now, because ClickHouse does not respond; retry later. Payments and their results are not affected.",
  late: "The report could not be computed in time; choose fewer days, or retry.",
};
const BACKLOG_TEXT = "Reports cannot be computed now, because too many results are not in ClickHouse yet; retry later.";

class Reader {
  readonly #options: MerchantReportsOptions;
  readonly #turns: MerchantTurns;
  readonly #looks: ReturnType<typeof createOutboxLooks>;
  readonly #kept: SharedResults<string>;

  constructor(options: MerchantReportsOptions) {
    const { kv, clock, timers, deliveredUntil } = options;
    this.#options = options;
    this.#turns = new MerchantTurns(timers, { allMax: REPORTS_MAX });
    this.#looks = createOutboxLooks(kv, deliveredUntil ?? (() => null), BACKLOG_ROWS_MAX);
    this.#kept = new SharedResults({ clock, keepMs: KEEP_MS, max: KEPT_MAX });
  }

  async text<Name extends ReportName>(
    name: Name,
    owner: MerchantScope,
    query: ReportKinds[Name]["query"],
    gone: AbortSignal | undefined,
  ): Promise<string> {
    if ("edges" in query) assertEdges(query.edges);
    const key = `${name} ${owner.livemode} ${JSON.stringify(query)} ${owner.merchantId}`;
    const asked = (over: AbortSignal) => this.#turns.run(owner.merchantId, TURN_MS, () => this.#counted(name, owner, query, over), over);
    return this.#kept.of(key, asked, gone);
  }

  async #counted<Name extends ReportName>(
    name: Name,
    owner: MerchantScope,
    query: ReportKinds[Name]["query"],
    over: AbortSignal,
  ): Promise<string> {
    const { timers, clock } = this.#options;
    const late = new AbortController();
    const signal = either(late.signal, over);
    const timer = timers.set(DEADLINE_MS, () => late.abort());
    try {
      return await translated(signal, TEXTS, async () => {
        const nowMs = clock.nowMs();
        const ask = <Row>(sql: Sql) => this.#ask<Row>(sql, signal);
        const { waiting, asOfMs } = await this.#waiting(owner, ask, signal, nowMs);
        const report = await COUNTED[name]({ owner, waiting, ask }, query);
        return JSON.stringify({ ...report, asOfMs });
      });
    } finally {
      timer.clear();
    }
  }

  #ask<Row>({ text, parameters }: Sql, signal: AbortSignal): Promise<Row[]> {
    return askClickHouse<Row>(this.#options.client, {
      ...{ query: text, parameters, signal, secondsMax: DEADLINE_MS / 1_000 },
      settings: { max_threads: 1, max_memory_usage: String(MEMORY_BYTES_MAX), use_skip_indexes_if_final: 1 },
    });
  }

  /**
   * Reads the outbox before ClickHouse, so a row that leaves the outbox afterwards is in
   * ClickHouse. If a merchant has too many waiting rows for a query, the report shows the state
   * before the first of them.
   */
  async #waiting(
    owner: MerchantScope,
    ask: Asking["ask"],
    signal: AbortSignal,
    nowMs: number,
  ): Promise<{ waiting: Waiting; asOfMs: number }> {
    const { client } = this.#options;
    const { merchantId } = owner;
    const id = JSON.stringify(merchantId);
    const [ofPayments, ofObjects] = await Promise.all([this.#looks.find(`"shop":${id}`), this.#looks.find(`"merchantId":${id}`)]);
    if (ofPayments === null || ofObjects === null) throw new RelayError("unavailable", BACKLOG_TEXT, { retryAfterSeconds: 5 });
    const transactions = newestOf(ofPayments, ({ shop }) => shop === merchantId);
    const objects = newestObjects(ofObjects, merchantId);
    const bytes = encodeURIComponent(textOf(transactions)).length;
    if (transactions.length + objects.length > WAITING_ROWS_MAX || bytes > WAITING_BYTES_MAX) {
      const oldest = [...transactions.map(({ transaction }) => transaction.createdAtMs), ...objects.map(changedAtMs)];
      return { waiting: { transactions: [], objects: [] }, asOfMs: oldest.reduce((one, other) => Math.min(one, other), nowMs) };
    }
    const queries = new MerchantQueries({ client, merchantId, signal, secondsMax: DEADLINE_MS / 1_000, replaced: [], refunds: [] });
    const uuids = transactions.map(({ transaction }) => transaction.uuid);
    return {
      waiting: {
        transactions: await withoutStored(transactions, (fromMs, toMs) => queries.versions(uuids, fromMs, toMs)),
        objects: await objectsWithoutStored(objects, merchantId, ask),
      },
      asOfMs: nowMs,
    };
  }
}

/** Returns the texts whose length the terminal chooses. */
function textOf(rows: readonly TransactionRow[]): string {
  return rows
    .map(({ transaction: { message, card, auth, currency } }) => JSON.stringify([message, card?.brand, auth?.actionCode, currency]))
    .join("");
}

/** Returns the last change of the object, as far as its row shows it. */
function changedAtMs({ createdAtMs, endedAtMs, activeAtMs }: ObjectRow): number {
  return Math.max(createdAtMs, endedAtMs ?? 0, activeAtMs ?? 0);
}

function assertEdges(edges: readonly number[]): void {
  const isRight =
    edges.length >= 2 && edges.length <= REPORT_BUCKETS_MAX + 1 && edges.every((edge, at) => at === 0 || edge > (edges[at - 1] ?? edge));
  if (!isRight) throw new RelayError("invalid_request", `A report may have up to ${REPORT_BUCKETS_MAX} points, in order`);
}
