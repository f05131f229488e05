import { join } from "node:path";
import type { ReportKinds, ReportName } from "../../engine/reports/merchant-reports.ts";
import { bucketsOf, clockOffsets, edgesOf } from "../../http/surfaces/merchant/analytics/buckets.ts";
import { createLocalTime } from "../../http/surfaces/parts/time.ts";
import { machineTimers } from "../../infra/node/boot/machine-timers.ts";
import { connectClickHouse } from "../../storage/clickhouse/client.ts";
import { PORTAL_WORKLOAD, REPORTS_WORKLOAD } from "../../storage/clickhouse/workloads.ts";
import { openEmbeddedKv } from "../../storage/kv/embedded.ts";
import { createMerchantReports, reportsOf } from "../../storage/reports/merchant-reports.ts";
import { createMerchantTransactions } from "../../storage/transactions/merchant-transactions.ts";
import { type Goal, goalsTable, markdownTable, type PartResult, percentile, rounded } from "./part.ts";
import { BIG, DAYS, SMALL } from "./rows.ts";
import { openRows } from "./stored-rows.ts";

const DAY_MS = 86_400_000;
const COLD_MS_MAX = 400;
const CACHED_MS_MAX = 5;
/** Of answers that are shared: they take no query. */
const CACHED_ROUNDS = 200;

/** What is measured of each: the year by days, and that by hours of the week. */
const NAMES: readonly ReportName[] = ["payments", "methods", "terminals", "heatmap", "links", "disputes", "subscriptions", "agents"];

interface ReportTimes {
  what: string;
  p50Ms: number;
  p95Ms: number;
  mostMs: number;
  /** JSON as it goes between the threads. */
  kilobytes: number;
}

export interface ReportsOptions {
  rows: number;
  rounds: number;
  keep: string | null;
  say(text: string): void;
}

/** Reports of a year at the port, over the embedded ClickHouse: each for the first time, and again. */
export async function measureReports({ rows, rounds, keep, say }: ReportsOptions): Promise<PartResult> {
  const stored = await openRows({ rows, keep, say });
  const client = connectClickHouse(stored.address, { workload: REPORTS_WORKLOAD });
  const portalClient = connectClickHouse(stored.address, { workload: PORTAL_WORKLOAD });
  const kv = await openEmbeddedKv({ directory: join(stored.directory, "state"), nowMs: Date.now });
  try {
    const [newest] = await (
      await stored.client.query({
        query: "SELECT toUnixTimestamp64Milli(max(created_at)) AS ms FROM relay.merchant_transactions",
        format: "JSONEachRow",
      })
    ).json<{ ms: string }>();
    const nowMs = Number(newest?.ms) + 1;
    let monotonicMs = 0;
    const clock = { nowMs: () => nowMs, monotonicMs: () => monotonicMs };
    const reader = createMerchantReports({ kv, client, clock, timers: machineTimers });
    const { report } = reportsOf(reader.text);
    const localTime = createLocalTime("Europe/Rome");
    const dayOf = (ms: number) => localTime.dayOf(ms);
    const edges = edgesOf(bucketsOf({ from: dayOf(nowMs - (DAYS - 1) * DAY_MS), to: dayOf(nowMs) }, "day", localTime));
    const [fromMs = 0, untilMs = 0] = [edges[0], edges.at(-1)];
    const queryOf = (name: ReportName): ReportKinds[ReportName]["query"] =>
      name === "heatmap" ? { fromMs, untilMs, offsets: clockOffsets(fromMs, untilMs, localTime) } : { edges };
    const times: ReportTimes[] = [];
    const measured = async (what: string, count: number, work: () => Promise<number>) => {
      const found: number[] = [];
      let bytes = await work();
      for (let round = 0; round < count; round += 1) {
        const startedAt = performance.now();
        bytes = await work();
        found.push(performance.now() - startedAt);
      }
      const at = (share: number) => rounded(percentile(found, share));
      const one = { what, p50Ms: at(0.5), p95Ms: at(0.95), mostMs: at(1), kilobytes: Math.round(bytes / 1_000) };
      times.push(one);
      say(`${what}: ${one.p50Ms}, ${one.p95Ms} ms, ${one.kilobytes} KB`);
      return one;
    };
    const yearOf = async (name: ReportName, merchantId: string) => {
      const owner = { merchantId, livemode: false };
      return JSON.stringify(await report(name, owner, queryOf(name))).length;
    };
    const later = () => {
      monotonicMs += 60_000;
    };
    const goals: Goal[] = [];
    for (const [size, merchantId] of [
      ["big", BIG],
      ["small", SMALL],
    ] as const) {
      for (const name of NAMES) {
        const cold = await measured(`${size} merchant, ${name} of a year`, rounds, () => {
          later();
          return yearOf(name, merchantId);
        });
        if (name === "payments")
          goals.push({ what: `year report, ${size} merchant, p95`, found: cold.p95Ms, most: COLD_MS_MAX, unit: "ms" });
      }
      const cached = await measured(`${size} merchant, payments of a year, shared`, CACHED_ROUNDS, () => yearOf("payments", merchantId));
      goals.push({ what: `year report again, ${size} merchant, p95`, found: cached.p95Ms, most: CACHED_MS_MAX, unit: "ms" });
    }
    // Lists have turns of their own.
    const list = createMerchantTransactions({ kv, client: portalClient, timers: machineTimers, clock });
    const page = async () => {
      await list.page(BIG, { filter: { fromMs: nowMs - DAY_MS }, after: null, limit: 50 });
      return 0;
    };
    await measured("big merchant, page of a day alone", rounds, page);
    let isOver = false;
    const reports = (async () => {
      while (!isOver) {
        later();
        await yearOf("methods", BIG);
      }
    })();
    await measured("big merchant, page of a day beside reports", rounds, page);
    isOver = true;
    await reports;
    const markdown = [
      `${stored.rows.toLocaleString("en")} rows of a year, half of them of one merchant, the others of 1,000 merchants; no links, disputes and subscriptions. ${rounds} of each, one at a time, at the port: what is shared is measured ${CACHED_ROUNDS} times.`,
      "",
      goalsTable(goals),
      "",
      markdownTable(
        ["", "p50 ms", "p95 ms", "longest", "KB"],
        times.map(({ what, p50Ms, p95Ms, mostMs, kilobytes }) => [what, p50Ms, p95Ms, mostMs, kilobytes]),
      ),
    ].join("\n");
    return { title: "Reports at the port", json: { rows: stored.rows, rounds, times }, markdown, goals };
  } finally {
    await Promise.all([client.close(), portalClient.close(), kv.close()]);
    await stored.close();
    await stored.remove();
  }
}
