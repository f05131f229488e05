import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../../engine/kernel/clock.ts";
import type { Kv } from "../../../engine/kernel/kv.ts";
import { type AttentionItem, attentionOperation } from "../../../engine/payments/attention.ts";
import { createActivityReader } from "../../../storage/activity/activity-reader.ts";
import { applyActivityRetention } from "../../../storage/activity/activity-retention.ts";
import { createActivityWriter } from "../../../storage/activity/activity-writer.ts";
import { ANALYST_USERNAME, writeAnalystAccess } from "../../../storage/clickhouse/analyst-access.ts";
import { createAvailability } from "../../../storage/clickhouse/availability.ts";
import { type ClickHouseAddress, type ClickHouseClient, connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { createDamageWatch, type Damage } from "../../../storage/clickhouse/damage.ts";
import { ADMIN_USERNAME, ClickHouseNotStarted, startEmbeddedClickHouse } from "../../../storage/clickhouse/embedded/supervisor.ts";
import { storeTimeZone } from "../../../storage/clickhouse/installation.ts";
import { migrate, SchemaTooNew } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD, REPORTS_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { clickHouseSink, insertLines } from "../../../storage/feed/clickhouse-sink.ts";
import { createFeed, type Feed } from "../../../storage/feed/feed.ts";
import { startGapFill } from "../../../storage/feed/feed-gap.ts";
import { startMerchantBackfill } from "../../../storage/feed/merchant-backfill.ts";
import { startObjectBackfill } from "../../../storage/feed/object-backfill.ts";
import type { OnceInBackground } from "../../../storage/feed/once-in-background.ts";
import { createOutboxBacklog } from "../../../storage/feed/outbox-backlog.ts";
import { pause } from "../../../storage/feed/pause.ts";
import { createMerchantReports } from "../../../storage/reports/merchant-reports.ts";
import { createReconciliationRows } from "../../../storage/reports/reconciliation-rows.ts";
import { createFedRows, type FedRows } from "../../../storage/transactions/fed-commands.ts";
import { createFedSearch } from "../../../storage/transactions/fed-search.ts";
import { createMerchantTransactions } from "../../../storage/transactions/merchant-transactions.ts";
import { createTransactionList } from "../../../storage/transactions/transaction-list.ts";
import type { Config } from "../boot/config.ts";
import { machineTimers } from "../boot/machine-timers.ts";
import { failureFacts } from "../observability/failure-facts.ts";
import type { Log } from "../observability/log.ts";
import { lookedUp } from "../wiring/administration/overview.ts";
import type { Analytics } from "./analytics-port.ts";
import type { ClusterFeed, RunningFeed } from "./cluster-feed.ts";
import { analyticsOff, missingReaders, NO_FEED } from "./missing-analytics.ts";

const RETRY_MS = 2_000;

/**
 * The outbox is measured when metrics or the dashboard are requested, and at most this often: in Redis with two requests to its index, on
 * each node; in LevelDB with at most 100,000 keys. So the values are at most this old.
 */
const BACKLOG_AGAIN_MS = 2_000;

/** If the store takes longer, the values are left out: metrics have 5 s in all (node.ts). */
const BACKLOG_WAIT_MS = 2_000;

/** An attempt that takes longer counts as failed for a caller that waits for one attempt only. */
const ONE_ATTEMPT_MS = 15_000;

export interface AnalyticsOptions {
  config: Config;
  kv: Kv;
  clock: Clock;
  log: Log;
}

/** Starts ClickHouse unless analytics are off, when `reached` or `feed` is called first, updates its schema, and feeds it after `feed` was called, all in the background. */
export function startAnalytics(options: AnalyticsOptions): Analytics {
  const { clickhouse } = options.config;
  return clickhouse.type === "off" ? analyticsOff() : startOn(clickhouse, options);
}

/** A ClickHouse that this node uses. */
type ClickHouseInUse = Exclude<Config["clickhouse"], { type: "off" }>;

function startOn(clickhouse: ClickHouseInUse, options: AnalyticsOptions): Analytics {
  const stopping = new AbortController();
  let reached: Reached | null = null;
  let answers = async () => false;
  /** Whether its schema is current, too. */
  let isUsable = false;
  let looker: ClickHouseClient | null = null;
  const damage = createDamageWatch({ clock: options.clock, client: () => looker, tell: (found) => tellDamage(options, found) });
  let feed: RunningFeed | null = null;
  let kafka: ClusterFeed | null = null;
  let backfills: readonly OnceInBackground[] = [];
  let readers = missingReaders("ClickHouse is starting");
  const activity = createActivityWriter({
    timers: machineTimers,
    onEvent: (event) => options.log.activityLog(event.type, event.type === "away" ? withoutMessage(event.error) : undefined),
  });
  let deliveredUntil: () => string | null = () => null;
  const lookAtOutbox = createOutboxBacklog({ kv: options.kv, clock: options.clock, deliveredUntil: () => deliveredUntil() });
  const [told, tells] = signal<void>();
  const [first, tellsFirst] = signal<FedRows | null>();
  const [connected, tellsConnected] = signal<FedRows | null>();
  const [ready, tellsReady] = signal<string | null>();

  async function start(): Promise<string | null> {
    const { config, kv, clock, log } = options;
    for (;;) {
      try {
        if (reached === null) {
          reached = await reach(config, clickhouse, log);
          answers = createAvailability(reached.address);
        }
        const onFailure = damage.note;
        const client = connectClickHouse(reached.address, { onFailure });
        looker = client;
        await migrate(client);
        await storeTimeZone(client, config.timeZone);
        isUsable = true;
        // An analyst's look at a server may be refused; the parts that cannot be read are noticed all the same.
        await damage
          .lookForPartsSetAside(client)
          .catch((error: unknown) => log.clickhouse("does not say what it has set aside", withoutMessage(error)));
        // What is over is not shown either way (activity-reader.ts), so nothing else waits for a ClickHouse that does not permit it.
        await applyActivityRetention(client, config.logRetentionDays).then(
          (changed) => changed.length > 0 && log.clickhouse(`keeps logs for ${config.logRetentionDays} days from now on`),
          (error: unknown) => log.clickhouse("does not take how long logs are kept", withoutMessage(error)),
        );
        const sink = clickHouseSink(client);
        if (config.cluster !== null) {
          const { kafkaBrokers: brokers } = config.cluster;
          const { createClusterFeed } = await import("./cluster-feed.ts");
          kafka = createClusterFeed({ brokers, clientId: config.nodeId, kv, sink, clock, log, shown: withoutMessage });
        }
        const fedRows = createFedRows(client);
        tellsFirst(fedRows);
        tellsConnected(fedRows);
        await told;
        if (stopping.signal.aborted) return null;
        // Connections of their own, so that none of the feed's waits for a merchant.
        const portalClient = connectClickHouse(reached.address, { workload: PORTAL_WORKLOAD, onFailure });
        const reportClient = connectClickHouse(reached.address, { workload: REPORTS_WORKLOAD, onFailure });
        activity.connect((table, lines, signal) => insertLines(client, table, [Buffer.from(lines.join(""))], signal));
        if (kafka === null) {
          const started = createFeed({
            kv,
            sink,
            clock,
            timers: machineTimers,
            paceClock: { monotonicMs: () => performance.now() },
            onEvent: (event) => {
              if (event.type === "row_refused") log.rowRefused(event);
              else log.feed(event.type, event.type === "away" ? withoutMessage(event.error) : undefined);
            },
          });
          feed = embeddedFeed(started);
          deliveredUntil = () => started.deliveredUntil();
        } else {
          kafka.begin();
          feed = kafka;
        }
        const outbox = { kv, ...(kafka === null ? { deliveredUntil } : {}) };
        const ofMerchants = { ...outbox, clock, timers: machineTimers };
        readers = {
          list: createTransactionList({ ...outbox, client }),
          merchants: createMerchantTransactions({ ...ofMerchants, client: portalClient }),
          reports: createMerchantReports({ ...ofMerchants, client: reportClient }),
          days: createReconciliationRows({ kv, client: portalClient }),
          search: createFedSearch(portalClient),
          logs: createActivityReader({ client: portalClient, clock, timers: machineTimers, retentionDays: config.logRetentionDays }),
        };
        const filling = { kv, client, clock, timers: machineTimers };
        backfills = [
          startMerchantBackfill({
            ...filling,
            onEvent: (event) => {
              if (event.type === "filled") log.merchantRowsFilled(event);
              else log.clickhouse("merchants' rows of before", withoutMessage(event.error));
            },
          }),
          startGapFill({
            ...{ kv, sink, timers: machineTimers },
            onEvent: (event) => {
              if (event.type === "filled") log.feedGapFilled(event);
              else log.clickhouse("rows of the time without analytics", withoutMessage(event.error));
            },
          }),
          startObjectBackfill({
            ...{ ...filling, sink },
            onEvent: (event) => {
              if (event.type === "filled") log.merchantThingsFilled(event);
              else log.clickhouse("merchants' things of before", withoutMessage(event.error));
            },
          }),
        ];
        return reached.address.url;
      } catch (error) {
        tellsFirst(null);
        if (stopping.signal.aborted) return null;
        log.clickhouse("not started", error);
        if ((error instanceof ClickHouseNotStarted && error.fatal) || error instanceof SchemaTooNew) {
          readers = missingReaders("ClickHouse does not run on this node");
          tellsConnected(null);
          return null;
        }
        // For example a server that cannot be reached yet, a directory that another process still uses, a full disk.
        readers = missingReaders("ClickHouse cannot be reached");
        await delay(RETRY_MS, undefined, { signal: stopping.signal }).catch(() => {});
        if (stopping.signal.aborted) return null;
      }
    }
  }

  let started: Promise<void> | null = null;
  const begin = () => {
    started ??= start().then(tellsReady);
  };
  return {
    list: { page: (query, gone) => readers.list.page(query, gone) },
    search: (wanted, gone) => readers.search(wanted, gone),
    merchants: {
      page: (merchantId, query, gone) => readers.merchants.page(merchantId, query, gone),
      find: (merchantId, uuid, gone) => readers.merchants.find(merchantId, uuid, gone),
      sums: (merchantId, range, gone) => readers.merchants.sums(merchantId, range, gone),
      latestByTerminal: (merchantId, gone) => readers.merchants.latestByTerminal(merchantId, gone),
      lines: (merchantId, filter, gone) => readers.merchants.lines(merchantId, filter, gone),
      stream: (merchantId, filter, gone) => readers.merchants.stream(merchantId, filter, gone),
    },
    reports: { text: (name, owner, query, gone) => readers.reports.text(name, owner, query, gone) },
    days: {
      areThere: (untilMs) => readers.days.areThere(untilMs),
      merchants: (range, after, limit) => readers.days.merchants(range, after, limit),
      refundedSince: (merchantId, fromMs) => readers.days.refundedSince(merchantId, fromMs),
      figures: (merchantId, bounds) => readers.days.figures(merchantId, bounds),
    },
    activity,
    logs: {
      workflow: (merchantId, query) => readers.logs.workflow(merchantId, query),
      calls: (merchantId, query) => readers.logs.calls(merchantId, query),
    },
    reached: (attempts) => {
      begin();
      const [answer, limitMs] = attempts === "one attempt" ? [first, ONE_ATTEMPT_MS] : [connected, attempts];
      return Promise.race([answer, delay(limitMs, null, { ref: false })]);
    },
    drainKafka: async (withinMs) => kafka === null || kafka.drain(withinMs),
    feed: () => {
      begin();
      tells();
    },
    ready,
    wake: () => feed?.wake(),
    stats: () => feed?.stats() ?? NO_FEED,
    kafka: () => feed?.kafka() ?? null,
    isUp: lookedUp(options.clock, async () => isUsable && damage.canRead() && (await answers()), BACKLOG_AGAIN_MS),
    damagedParts: damage.count,
    backlog: lookedUp(options.clock, () => inTime(lookAtOutbox()), BACKLOG_AGAIN_MS),
    stop: async () => {
      stopping.abort();
      tells();
      await started;
      await Promise.all([...backfills.map((backfill) => backfill.stop()), (feed ?? kafka)?.stop(), activity.stop()]);
      await reached?.stop();
    },
  };
}

/** Tells operators of what ClickHouse cannot read, or has set aside. The error itself would name folders and quote queries. */
async function tellDamage({ kv, clock, log }: AnalyticsOptions, { table, part, code }: Damage): Promise<void> {
  const where = table === null ? "its disk" : `part ${part} of relay.${table}`;
  const what = code === null ? "has set aside" : "cannot read or write";
  const detail = `ClickHouse ${what} ${where}${code === null ? "" : ` (code ${code})`}; see infra/docs/runbooks/RelayClickHouseDamaged.md`;
  log.clickhouse(`damaged: it ${what} ${where}`);
  const uuid = table === null ? null : `${table}.${part}`;
  const item: AttentionItem = { kind: "clickhouse_damaged", terminalId: "", uuid, atMs: clock.nowMs(), detail, raw: null };
  await kv.commit({ checks: [], operations: [attentionOperation(item)] });
}

/** A promise and the function that resolves it. */
function signal<T>(): [promise: Promise<T>, resolve: (value: T) => void] {
  let resolved: (value: T) => void = () => {};
  const promise = new Promise<T>((resolve) => {
    resolved = resolve;
  });
  return [promise, resolved];
}

/** An error of ClickHouse may quote the row, or what was searched for, so only its name, its code, the address and where it was made are logged. */
export function withoutMessage(error: unknown): Error {
  const { name, code, address, madeAt } = failureFacts(error);
  const shown = new Error(`${name}, code ${code ?? "none"}`);
  shown.stack = `${name}: ${shown.message}${madeAt === null ? "" : `\n    ${madeAt}`}`;
  return Object.assign(shown, { name, ...(code === null ? {} : { code }), ...(address === null ? {} : { address }) });
}

function embeddedFeed(feed: Feed): RunningFeed {
  return {
    wake: () => feed.wake(),
    stats: () => {
      const { inserted, failures, refused: poison } = feed.stats();
      return { inserted, failures, poison, deadLetters: 0 };
    },
    kafka: () => null,
    stop: () => feed.stop(),
  };
}

/** Null if it fails or takes too long: metrics are returned without a value that cannot be determined. */
async function inTime<T>(look: Promise<T>): Promise<T | null> {
  const over = new AbortController();
  try {
    return await Promise.race([look, pause(machineTimers, BACKLOG_WAIT_MS, over.signal).then(() => null)]);
  } catch {
    return null;
  } finally {
    over.abort();
  }
}

/** A ClickHouse that can be used, and how to stop it if it is the relay's own. */
interface Reached {
  address: ClickHouseAddress;
  stop(): Promise<void>;
}

async function reach({ dataDirectory }: Config, clickhouse: ClickHouseInUse, log: Log): Promise<Reached> {
  if (clickhouse.type === "server") {
    const url = new URL(clickhouse.url);
    const { origin } = url;
    const [username, password] = [decodeURIComponent(url.username) || "default", decodeURIComponent(url.password)];
    return { address: { url: origin, username, password }, stop: async () => {} };
  }
  const adminPassword = randomBytes(24).toString("base64url");
  const readerPassword = clickhouse.analystPassword ?? randomBytes(18).toString("base64url");
  const embedded = await startEmbeddedClickHouse({
    directory: join(dataDirectory, "clickhouse"),
    host: "127.0.0.1",
    port: clickhouse.port,
    adminPassword,
    readerUsername: ANALYST_USERNAME,
    readerPassword,
    onLog: log.embeddedClickHouse,
  });
  const { url } = embedded;
  const reader: ClickHouseAddress = { url, username: ANALYST_USERNAME, password: readerPassword };
  await writeAnalystAccess(dataDirectory, reader);
  return { address: { url, username: ADMIN_USERNAME, password: adminPassword }, stop: () => embedded.stop() };
}
