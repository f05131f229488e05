import { join } from "node:path";
import { stringify } from "csv-stringify/sync";
import { RelayError } from "../../engine/kernel/errors.ts";
import type { MerchantTransactionFilter, TransactionKey } from "../../engine/payments/merchant-transactions.ts";
import { machineTimers } from "../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { PORTAL_WORKLOAD } from "../../storage/clickhouse/workloads.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { createMerchantTransactions, type MerchantTransactionReader } from "../../storage/transactions/merchant-transactions.ts";
import { markdownTable, type PartResult, percentile, rounded } from "./part.ts";
import { cpuMsOf, rssOf } from "./process-times.ts";
import { BIG, SMALL } from "./rows.ts";
import { CSV_GROWTH_MB_MAX, CSV_ROWS, CSV_SECONDS_MAX, openRows } from "./stored-rows.ts";

const DAY_MS = 86_400_000;
const PAGE = 50;
/** Pages behind the first that are measured as well: the middle of a list is read by its key, as its beginning is. */
const PAGES = 3;

/** How often the memory of both processes is looked at while a file is read. */
const MEMORY_LOOK_MS = 50;

interface Times {
  what: string;
  count: number;
  p50Ms: number;
  p95Ms: number;
  mostMs: number;
  /** Processor time of the reader and of ClickHouse, which tells more than the time that passes where other work runs on the machine. */
  cpuMs: number;
  /** How many were answered 503, because they could not be read in three seconds. */
  late: number;
  /** What it should be at most, for the 95th percentile; null for none. */
  goalMs: number | null;
}

interface FileTimes {
  rows: number;
  bytes: number;
  seconds: number;
  cpuSeconds: number;
  /** How much the process that reads has grown, and ClickHouse. */
  readerGrowthMb: number;
  clickHouseGrowthMb: number;
  /** The longest that the reading thread was held. */
  heldMs: number;
}

interface QueriesResult {
  rows: number;
  fillSeconds: number;
  diskMb: number;
  times: Times[];
  file: FileTimes;
}

export interface QueriesOptions {
  rows: number;
  rounds: number;
  /** A folder that is filled once and kept; null for one of this run. */
  keep: string | null;
  say(text: string): void;
}

/** Lists, searches, sums and files of merchants over the embedded ClickHouse. */
export async function measureQueries({ rows, rounds, keep, say }: QueriesOptions): Promise<PartResult> {
  const stored = await openRows({ rows, keep, say });
  const { client, server: clickhouse, fillSeconds } = stored;
  const portalClient = connectClickHouse(stored.address, { workload: PORTAL_WORKLOAD });
  const kv = await openEmbeddedKv({ directory: join(stored.directory, "state"), nowMs: Date.now });
  try {
    const ask = async <Row>(query: string): Promise<Row[]> => (await client.query({ query, format: "JSONEachRow" })).json<Row>();
    const [disk] = await ask<{ mb: string }>(
      "SELECT round(sum(bytes_on_disk) / 1e6) AS mb FROM system.parts WHERE active AND table = 'merchant_transactions'",
    );
    const [newest] = await ask<{ ms: string }>("SELECT toUnixTimestamp64Milli(max(created_at)) AS ms FROM relay.merchant_transactions");
    const nowMs = Number(newest?.ms) + 1;
    let monotonicMs = 0;
    const reader = createMerchantTransactions({
      ...{ kv, client: portalClient, timers: machineTimers },
      // Each time a minute later, so that nothing is shared.
      clock: {
        nowMs: () => nowMs,
        monotonicMs: () => {
          monotonicMs += 60_000;
          return monotonicMs;
        },
      },
    });
    const times: Times[] = [];
    const pid = clickhouse.pid();
    const measured = async (what: string, goalMs: number | null, work: () => Promise<number>, pages = 1) => {
      let late = 0;
      const attempt = async () => {
        const startedAt = performance.now();
        try {
          return await work();
        } catch (error) {
          if (!(error instanceof RelayError) || error.code !== "unavailable") throw error;
          late += 1;
          return performance.now() - startedAt;
        }
      };
      await attempt();
      late = 0;
      const found: number[] = [];
      const cpuBefore = await bothCpuMs(pid);
      for (let round = 0; round < rounds; round += 1) found.push(await attempt());
      const cpuMs = Math.round(((await bothCpuMs(pid)) - cpuBefore) / rounds / pages);
      const measuredTimes = { what, count: found.length, ...percentiles(found), cpuMs, late, goalMs };
      times.push(measuredTimes);
      say(`${what}: ${measuredTimes.p50Ms}, ${measuredTimes.p95Ms}, processor ${cpuMs}, late ${late}`);
    };
    const spans: [string, number | null][] = [
      ["a day", 1],
      ["30 days", 30],
      ["all time", null],
    ];
    for (const [name, merchantId] of [
      ["big", BIG],
      ["small", SMALL],
    ] as const) {
      for (const [span, days] of spans) {
        const filter = days === null ? {} : { fromMs: nowMs - days * DAY_MS };
        await measured(`${name} merchant, page of ${span}`, 60, () => onePage(reader, merchantId, filter));
      }
      await measured(`${name} merchant, a page further on`, 60, () => laterPage(reader, merchantId, nowMs), PAGES);
      await measured(`${name} merchant, declined of 30 days`, 60, () =>
        onePage(reader, merchantId, { fromMs: nowMs - 30 * DAY_MS, status: "KO" }),
      );
      await measured(`${name} merchant, an amount of all time`, null, () =>
        onePage(reader, merchantId, { amountMin: 4_242, amountMax: 4_242 }),
      );
      const [row] = await ask<{ uuid: string }>(
        `SELECT uuid FROM relay.merchant_transactions WHERE merchant_id = '${merchantId}' ORDER BY created_at LIMIT 1 OFFSET 100`,
      );
      const uuid = row?.uuid ?? "";
      await measured(`${name} merchant, search by uuid`, 60, () => onePage(reader, merchantId, { q: uuid }));
      await measured(`${name} merchant, detail by uuid`, 60, () => timed(() => reader.find(merchantId, uuid)));
      await measured(`${name} merchant, search by the beginning of a uuid`, null, () =>
        onePage(reader, merchantId, { q: uuid.slice(0, 9) }),
      );
      await measured(`${name} merchant, sums of a day`, null, () =>
        timed(() => reader.sums(merchantId, { fromMs: nowMs - DAY_MS, untilMs: nowMs })),
      );
      await measured(`${name} merchant, latest of each terminal`, null, () => timed(() => reader.latestByTerminal(merchantId)));
    }
    say("reading a file of a million rows");
    const file = await readRows(reader, Math.min(CSV_ROWS, Math.floor(stored.rows / 2)), clickhouse.pid());
    return resultOf(rounds, { rows: stored.rows, fillSeconds, diskMb: Number(disk?.mb), times, file });
  } finally {
    await Promise.all([portalClient.close(), kv.close()]);
    await stored.close();
    await stored.remove();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

function onePage(reader: MerchantTransactionReader, merchantId: string, filter: MerchantTransactionFilter): Promise<number> {
  return timed(() => reader.page(merchantId, { filter, after: null, limit: PAGE }));
}

/** The last of some pages that follow each other, from somewhere in the year on. */
async function laterPage(reader: MerchantTransactionReader, merchantId: string, nowMs: number): Promise<number> {
  let after: TransactionKey | null = { createdAtMs: nowMs - Math.floor(Math.random() * 200 * DAY_MS), uuid: "", terminalId: "" };
  let ms = 0;
  for (let page = 0; page < PAGES && after !== null; page += 1) {
    const startedAt = performance.now();
    after = (await reader.page(merchantId, { filter: {}, after, limit: PAGE })).next;
    ms = performance.now() - startedAt;
  }
  return ms;
}

/** Reads the newest rows of the big merchant and writes them as CSV, which goes nowhere. */
async function readRows(reader: MerchantTransactionReader, rowsMax: number, clickHousePid: number | null): Promise<FileTimes> {
  globalThis.gc?.();
  const memory = async () => ({ reader: process.memoryUsage.rss(), clickHouse: await rssOf(clickHousePid) });
  const before = await memory();
  const most = { ...before };
  let lookedAt = performance.now();
  let heldMs = 0;
  const look = setInterval(async () => {
    heldMs = Math.max(heldMs, performance.now() - lookedAt - MEMORY_LOOK_MS);
    lookedAt = performance.now();
    const now = await memory();
    most.reader = Math.max(most.reader, now.reader);
    most.clickHouse = Math.max(most.clickHouse, now.clickHouse);
  }, MEMORY_LOOK_MS);
  const startedAt = performance.now();
  const cpuBefore = await bothCpuMs(clickHousePid);
  let rows = 0;
  let bytes = 0;
  for await (const batch of reader.stream(BIG, {})) {
    bytes += Buffer.byteLength(
      stringify(
        batch.map(({ transaction: { createdAtMs, uuid, terminalId, method, status, amountCents, currency, auth, card, message } }) => [
          new Date(createdAtMs).toISOString(),
          ...[uuid, terminalId, method, status, amountCents / 100, currency],
          ...[card?.brand, card?.maskedPan?.slice(-4), auth?.authCode, message],
        ]),
      ),
    );
    rows += batch.length;
    if (rows >= rowsMax) break;
  }
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const cpuSeconds = Math.round(((await bothCpuMs(clickHousePid)) - cpuBefore) / 100) / 10;
  clearInterval(look);
  const mb = (bytesGrown: number) => Math.round(bytesGrown / 1_048_576);
  return {
    ...{ rows, bytes, seconds, cpuSeconds, heldMs: Math.round(heldMs) },
    readerGrowthMb: mb(most.reader - before.reader),
    clickHouseGrowthMb: mb(most.clickHouse - before.clickHouse),
  };
}

/** Of this process and ClickHouse's. */
async function bothCpuMs(clickHousePid: number | null): Promise<number> {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + (await cpuMsOf(clickHousePid));
}

function percentiles(found: readonly number[]): Pick<Times, "p50Ms" | "p95Ms" | "mostMs"> {
  const at = (share: number) => rounded(percentile(found, share));
  return { p50Ms: at(0.5), p95Ms: at(0.95), mostMs: at(1) };
}

function resultOf(rounds: number, found: QueriesResult): PartResult {
  const { rows, fillSeconds, diskMb, times, file } = found;
  const goals = [
    ...times.flatMap(({ what, p95Ms, goalMs }) =>
      goalMs === null ? [] : [{ what: `${what}, p95`, found: p95Ms, most: goalMs, unit: "ms" }],
    ),
    { what: "CSV of a million rows", found: file.seconds, most: CSV_SECONDS_MAX, unit: "s" },
    { what: "memory that it takes", found: file.readerGrowthMb, most: CSV_GROWTH_MB_MAX, unit: "MB" },
  ];
  const markdown = [
    `${rows.toLocaleString("en")} rows of a year in the embedded ClickHouse, half of them of one merchant, the others of 1,000 merchants; ${
      fillSeconds === 0 ? "inserted before" : `inserted in ${fillSeconds} s`
    }, ${diskMb.toLocaleString("en")} MB for the merchants' table. Pages of 50, one query at a time, as the API asks, ${rounds} of each. \`processor\` is what the reader and ClickHouse took of it.`,
    "",
    markdownTable(
      ["", "p50 ms", "p95 ms", "longest", "processor ms", "503", "goal", ""],
      times.map(({ what, p50Ms, p95Ms, mostMs, cpuMs, late, goalMs }) => [
        ...[what, p50Ms, p95Ms, mostMs, cpuMs, late],
        ...(goalMs === null ? ["", ""] : [`≤ ${goalMs}`, p95Ms <= goalMs ? "met" : "not met"]),
      ]),
    ),
    "",
    `CSV of ${file.rows.toLocaleString("en")} rows (${Math.round(file.bytes / 1e6)} MB): ${file.seconds} s, ${file.cpuSeconds} s of both processors (goal ≤ ${CSV_SECONDS_MAX}, ${file.seconds <= CSV_SECONDS_MAX ? "met" : "not met"}); the reading process grew by ${file.readerGrowthMb} MB`,
    `(goal ≤ ${CSV_GROWTH_MB_MAX}, ${file.readerGrowthMb <= CSV_GROWTH_MB_MAX ? "met" : "not met"}), ClickHouse's by ${file.clickHouseGrowthMb} MB. Its thread was held for ${file.heldMs} ms at most.`,
  ].join("\n");
  return { title: "Queries", json: { rounds, ...found }, markdown, goals };
}
