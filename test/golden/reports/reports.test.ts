import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Kv } from "../../../engine/kernel/kv.ts";
import type { Timers } from "../../../engine/kernel/timers.ts";
import type { ReportName } from "../../../engine/reports/merchant-reports.ts";
import { bucketsOf, clockOffsets, edgesOf } from "../../../http/surfaces/merchant/analytics/buckets.ts";
import type { Granularity } from "../../../http/surfaces/merchant/analytics/schemas.ts";
import { createLocalTime } from "../../../http/surfaces/parts/time.ts";
import { machineTimers } from "../../../infra/node/boot/machine-timers.ts";
import { dayCalendar } from "../../../infra/node/wiring/merchants/reconciliation.ts";
import { connectClickHouse } from "../../../storage/clickhouse/client.ts";
import { storeTimeZone } from "../../../storage/clickhouse/installation.ts";
import { migrate } from "../../../storage/clickhouse/migrate.ts";
import { PORTAL_WORKLOAD, REPORTS_WORKLOAD } from "../../../storage/clickhouse/workloads.ts";
import { clickHouseSink } from "../../../storage/feed/clickhouse-sink.ts";
import { deliver } from "../../../storage/feed/feed-sink.ts";
import { createMerchantReports, reportsOf } from "../../../storage/reports/merchant-reports.ts";
import { createReconciliationRows } from "../../../storage/reports/reconciliation-rows.ts";
import { createMerchantTransactions } from "../../../storage/transactions/merchant-transactions.ts";
import { namesOf } from "../../simulation/random.ts";
import { ADMIN, sharedClickHouse } from "../../storage/clickhouse/clickhouse-world.ts";
import { openKv, realClock, write } from "../../storage/feed/feed-world.ts";
import { writeObjects } from "../../storage/reports/merchant-reports-world.ts";
import { NOW_MS, OWNERS, ROWS } from "./data-set.ts";

const ZONE = "Europe/Rome";
const LOCAL = createLocalTime(ZONE);
const edges = (from: string, to: string, granularity: Granularity) => edgesOf(bucketsOf({ from, to }, granularity, LOCAL));

/** The clocks change on 25 October. */
const HOURS = { edges: edges("2026-10-25", "2026-10-25", "hour") };
const DAYS = { edges: edges("2026-10-18", "2026-10-28", "day") };
const MONTHS = { edges: edges("2026-08-15", "2026-10-28", "month") };
const [FROM_MS = 0, UNTIL_MS = 0] = [MONTHS.edges[0], MONTHS.edges.at(-1)];

const OF_PAYMENTS = {
  "by day": DAYS,
  "by hour, in francs": { ...HOURS, currency: "CHF" },
  "by month, at T1": { ...MONTHS, terminalId: "T1" },
  "by month, by link": { ...MONTHS, method: "PAYBYLINK" },
} as const;
const OF_OBJECTS = { "by month": MONTHS, "by day": DAYS, "by month, in francs": { ...MONTHS, currency: "CHF" } } as const;
const WHOLE = { fromMs: FROM_MS, untilMs: UNTIL_MS, offsets: clockOffsets(FROM_MS, UNTIL_MS, LOCAL) };

const QUERIES = {
  ...{ payments: OF_PAYMENTS, methods: OF_PAYMENTS, terminals: OF_PAYMENTS },
  heatmap: { "of all days": WHOLE, "of all days, in francs": { ...WHOLE, currency: "CHF" } },
  ...{ links: OF_OBJECTS, disputes: OF_OBJECTS, subscriptions: OF_OBJECTS, agents: OF_OBJECTS },
} as const satisfies Record<ReportName, object>;

/** The analysts' views over some days. */
const VIEWS = {
  transactions_hourly: "SELECT * FROM relay.transactions_hourly WHERE hour >= '2026-10-27' ORDER BY ALL",
  transactions_daily: "SELECT * FROM relay.transactions_daily WHERE day >= '2026-10-20' ORDER BY ALL",
  reconciliation: "SELECT * FROM relay.reconciliation WHERE day >= '2026-10-24' ORDER BY ALL",
  reconciliation_in: "SELECT * FROM relay.reconciliation_in(zone = 'America/New_York') WHERE day >= '2026-10-24' ORDER BY ALL",
};

type Answers = Record<string, unknown>;

describe("the answers of all reports over one data set (UPDATE_GOLDEN=1 writes them again)", async () => {
  const world = await sharedClickHouse();
  const client = connectClickHouse({ url: world.clickhouse.url, ...ADMIN });
  const portalClient = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: PORTAL_WORKLOAD });
  const reportClient = connectClickHouse({ url: world.clickhouse.url, ...ADMIN }, { workload: REPORTS_WORKLOAD });
  const sink = clickHouseSink(client);
  const clock = { ...realClock, nowMs: () => NOW_MS };
  // The deadlines are longer, so that no report is late on a busy machine.
  const timers: Timers = { ...machineTimers, set: (ms, work) => machineTimers.set(ms * 20, work) };
  const answers = new Map<string, Answers>();
  const directory = await mkdtemp(join(tmpdir(), "relay-report-goldens-"));
  const kv = await openKv(directory);

  before(async () => {
    await migrate(client);
    await storeTimeZone(client, ZONE);
    await deliver(
      sink,
      ROWS.flatMap((one) => (one.place === "outbox" ? [] : [one.place === "both" ? one.older : one.row])),
    );
    const waiting = ROWS.flatMap((one) => (one.place === "clickhouse" ? [] : [one.row]));
    await write(
      kv,
      waiting.filter(({ type }) => type === "transaction"),
      NOW_MS,
    );
    await writeObjects(
      kv,
      waiting.filter((row) => row.type === "object"),
    );
    for (const [name, found] of await readAll(kv)) answers.set(name, found);
  });
  after(async () => {
    await Promise.all([client.close(), portalClient.close(), reportClient.close(), kv.close()]);
    await rm(directory, { recursive: true, force: true });
  });

  /** Reads all reports of payments and objects, one after the other. */
  async function readAll(kv: Kv): Promise<Map<string, Answers>> {
    const { report } = reportsOf(createMerchantReports({ kv, client: reportClient, clock, timers }).text);
    const list = createMerchantTransactions({ kv, client: portalClient, clock, timers });
    const found = new Map<string, Answers>();
    for (const name of namesOf(QUERIES)) {
      const answer: Answers = {};
      for (const [index, owner] of OWNERS.entries()) {
        // One query suffices for the other owners: another environment, and another merchant.
        for (const [title, query] of Object.entries(QUERIES[name]).slice(0, index === 0 ? undefined : 1)) {
          answer[`${owner.merchantId} ${owner.livemode ? "live" : "test"} ${title}`] = await report(name, owner, query);
        }
      }
      found.set(name, answer);
    }
    const sums: Answers = {};
    for (const merchantId of ["M1", "M2"]) {
      sums[`${merchantId} of a day`] = await list.sums(merchantId, dayCalendar(ZONE).boundsOf("2026-10-25"));
      sums[`${merchantId} of all days`] = await list.sums(merchantId, { fromMs: FROM_MS, untilMs: UNTIL_MS });
    }
    return found.set("sums", sums);
  }

  async function held(name: string, found: Answers): Promise<void> {
    const file = new URL(`${name}.json`, import.meta.url);
    const text = `${JSON.stringify(found, null, 1)}\n`;
    if (process.env["UPDATE_GOLDEN"] !== undefined) await writeFile(file, text);
    assert.deepEqual(JSON.parse(text), JSON.parse(await readFile(file, "utf8")));
  }

  for (const name of [...Object.keys(QUERIES), "sums"]) {
    it(`holds the answers of ${name}, of which each member has a figure`, async () => {
      const found = answers.get(name) ?? {};
      assert.deepEqual(emptyMembers(found), []);
      await held(name, found);
    });
  }

  it("answers the same once no row waits in the outbox, and holds what days are closed by and what views show", async () => {
    await deliver(
      sink,
      ROWS.map(({ row }) => row),
    );
    const empty = await openKv(join(directory, "empty"));
    assert.deepEqual(await readAll(empty), answers);
    const rows = createReconciliationRows({ kv: empty, client });
    const days = ["2026-10-24", "2026-10-25", "2026-10-26"].map((day) => dayCalendar(ZONE).boundsOf(day));
    const [first] = days;
    assert.ok(first !== undefined);
    const closed: Answers = { merchants: await rows.merchants(first, null, 10) };
    for (const merchantId of ["M1", "M2"]) {
      closed[`${merchantId} refunded since`] = (await rows.refundedSince(merchantId, first.fromMs)).toSorted();
      closed[merchantId] = Object.fromEntries(await rows.figures(merchantId, days));
    }
    await empty.close();
    assert.deepEqual(emptyMembers(closed), []);
    await held("reconciliation", closed);
    const views: Answers = {};
    for (const [name, query] of Object.entries(VIEWS)) {
      views[name] = await (await client.query({ query, format: "JSONEachRow" })).json();
    }
    await held("views", views);
  });
});

/** Returns the members that are 0, null or empty in all answers. */
function emptyMembers(answers: Answers): string[] {
  const full = new Map<string, boolean>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) full.set(name, full.get(name) === true || !EMPTY.has(JSON.stringify(member)));
      walk(member);
    }
  };
  walk(answers);
  return [...full].filter(([, isFull]) => !isFull).map(([name]) => name);
}

const EMPTY: ReadonlySet<string> = new Set(["0", "null", '""', "[]", "{}"]);
