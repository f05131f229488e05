import { mkdtemp, rm, symlink } from "node:fs/promises";
import { Agent } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { MERCHANT_BASE } from "../../http/surfaces/merchant/surface.ts";
import { type RunningRelay, startRelay } from "../load/relay.ts";
import { type Goal, goalsTable, markdownTable, type PartResult, percentile, rounded } from "./part.ts";
import { ADMIN, type Credentials, PortalCaller } from "./person.ts";
import { clickHouseOf, cpuMsOf, rssOf } from "./process-times.ts";
import { BIG, DAYS, SMALL } from "./rows.ts";
import { CSV_GROWTH_MB_MAX, CSV_ROWS, CSV_SECONDS_MAX, openRows } from "./stored-rows.ts";

const DAY_MS = 86_400_000;
const LIST_MS_MAX = 60;
const REPORT_MS_MAX = 400;
const REPORT_SHARED_MS_MAX = 5;

/** How long the relay may take until it has connected to its ClickHouse. */
const READY_MS_MAX = 60_000;

const MEMORY_LOOK_MS = 50;
/** Somebody else looks at a page meanwhile. */
const LOOK_BESIDE_MS = 50;

const LINE_FEED = 0x0a;

interface ListTimes {
  what: string;
  by: "session" | "key";
  p50Ms: number;
  p95Ms: number;
  mostMs: number;
  /** Of the whole node and its ClickHouse. */
  cpuMs: number;
  failed: number;
}

interface FileTimes {
  rows: number;
  bytes: number;
  seconds: number;
  cpuSeconds: number;
  nodeGrowthMb: number;
  clickHouseGrowthMb: number;
  /** Of session checks that were asked for meanwhile. */
  besideP50Ms: number;
  besideP99Ms: number;
}

export interface ListsOptions {
  rows: number;
  rounds: number;
  keep: string | null;
  say(text: string): void;
}

/** Lists, reports and files of merchants by whole requests to a whole relay, over the same rows as the queries. */
export async function measureLists({ rows, rounds, keep, say }: ListsOptions): Promise<PartResult> {
  const stored = await openRows({ rows, keep, say });
  const [newest] = await (
    await stored.client.query({
      query: "SELECT toUnixTimestamp64Milli(max(created_at)) AS ms FROM relay.merchant_transactions",
      format: "JSONEachRow",
    })
  ).json<{ ms: string }>();
  await stored.close();
  const work = await mkdtemp(join(tmpdir(), "relay-bench-portal-lists-"));
  const agent = new Agent({ keepAlive: true });
  let relay: RunningRelay | null = null;
  try {
    // With a store of its own, which the rows do not belong to: it is vouched for by the witness of its first start.
    const directory = join(work, "data");
    const environment = { RELAY_ADMIN_PASSWORD: ADMIN.password };
    relay = await startRelay(directory, environment);
    const first = new PortalCaller(relay.port, agent);
    const merchants = { big: await first.newMerchant(BIG), small: await first.newMerchant(SMALL) };
    await relay.stop();
    await rm(join(directory, "clickhouse"), { recursive: true, force: true });
    await symlink(join(stored.directory, "clickhouse"), join(directory, "clickhouse"));
    relay = await startRelay(directory, environment);
    const clickHousePid = await clickHouseOf(relay.pid);
    const bench = new ListBench({ caller: new PortalCaller(relay.port, agent), pid: relay.pid, clickHousePid, rounds, say });
    await bench.ready(merchants.big.session);
    const newestMs = Number(newest?.ms);
    for (const [name, { session, key }] of Object.entries(merchants)) {
      for (const [by, credentials] of [["session", session] as const, ["key", key] as const]) {
        await bench.lists(`${name} merchant`, by, credentials, newestMs);
      }
    }
    const reports = await bench.reports(merchants.big.session, newestMs);
    say("downloading a file");
    const file = await bench.file(merchants.big.session, newestMs, stored.rows);
    return resultOf({ rows: stored.rows, rounds, times: bench.times, reports, file });
  } finally {
    agent.destroy();
    await relay?.stop();
    await rm(work, { recursive: true, force: true });
    await stored.remove();
  }
}

interface ListBenchOptions {
  caller: PortalCaller;
  /** Of the node, and of its ClickHouse. */
  pid: number;
  clickHousePid: number | null;
  rounds: number;
  say(text: string): void;
}

class ListBench {
  readonly #of: ListBenchOptions;
  readonly times: ListTimes[] = [];

  constructor(of: ListBenchOptions) {
    this.#of = of;
  }

  /** Waits until lists are answered. */
  async ready(credentials: Credentials): Promise<void> {
    const untilMs = performance.now() + READY_MS_MAX;
    for (;;) {
      const { status, text } = await this.#of.caller.send({ path: `${MERCHANT_BASE}/transactions?limit=1`, headers: { ...credentials } });
      if (status === 200 && text.includes('"uuid"')) return;
      if (performance.now() > untilMs) throw new Error(`lists are not answered: ${status} ${text.slice(0, 300)}`);
      await delay(200);
    }
  }

  async lists(merchant: string, by: ListTimes["by"], credentials: Credentials, newestMs: number): Promise<void> {
    const page = (query: string) => `${MERCHANT_BASE}/transactions?limit=50${query}`;
    const daysBefore = (days: number) => dayOf(newestMs - days * DAY_MS);
    const found = await this.#of.caller.must({ path: page(`&to=${daysBefore(100)}`), headers: { ...credentials } });
    const uuid = /"uuid":"([^"]+)"/.exec(found.text)?.[1] ?? "";
    const cases: [string, () => Promise<string>][] = [
      ["page of a day", async () => page(`&from=${daysBefore(0)}`)],
      ["page of 30 days", async () => page(`&from=${daysBefore(29)}`)],
      ["page of all time", async () => page("")],
      ["a page further on", async () => page(`&cursor=${await this.#cursorAt(credentials, daysBefore(Math.floor(Math.random() * 200)))}`)],
      ["declined of 30 days", async () => page(`&from=${daysBefore(29)}&status=KO`)],
      ["search by uuid", async () => page(`&q=${uuid}`)],
    ];
    for (const [what, path] of cases) await this.#measured(`${merchant}, ${what}`, by, credentials, path);
  }

  /** A year by days: each of another year, so that nothing is shared; and one of them again. */
  async reports(credentials: Credentials, newestMs: number): Promise<{ cold: ListTimes; shared: ListTimes }> {
    const daysBefore = (days: number) => dayOf(newestMs - days * DAY_MS);
    const path = (days: number) =>
      `${MERCHANT_BASE}/analytics/payments?granularity=day&from=${daysBefore(DAYS - 1 - days)}&to=${daysBefore(-days)}`;
    let round = 0;
    const cold = await this.#measured("big merchant, report of a year", "session", credentials, async () => {
      round += 1;
      return path(round % (2 * this.#of.rounds));
    });
    const shared = await this.#measured("big merchant, the same report again", "session", credentials, async () => path(1));
    return { cold, shared };
  }

  /** Of the page behind the first one up to this day. */
  async #cursorAt(credentials: Credentials, to: string): Promise<string> {
    const { text } = await this.#of.caller.must({ path: `${MERCHANT_BASE}/transactions?limit=50&to=${to}`, headers: { ...credentials } });
    return /"next":"([^"]+)"/.exec(text)?.[1] ?? "";
  }

  async #measured(what: string, by: ListTimes["by"], credentials: Credentials, pathOf: () => Promise<string>): Promise<ListTimes> {
    const { caller, pid, clickHousePid, rounds, say } = this.#of;
    const found: number[] = [];
    let failed = 0;
    let cpuMs = 0;
    const cpu = async () => (await cpuMsOf(pid)) + (await cpuMsOf(clickHousePid));
    for (let round = -1; round < rounds; round += 1) {
      const path = await pathOf();
      const [cpuBefore, startedMs] = [await cpu(), performance.now()];
      const { status } = await caller.send({ path, headers: { ...credentials } });
      const ms = performance.now() - startedMs;
      if (round < 0) continue;
      cpuMs += (await cpu()) - cpuBefore;
      found.push(ms);
      if (status !== 200) failed += 1;
    }
    const at = (share: number) => rounded(percentile(found, share));
    const times = { what, by, p50Ms: at(0.5), p95Ms: at(0.95), mostMs: at(1), cpuMs: rounded(cpuMs / rounds), failed };
    this.times.push(times);
    say(`${what}, by ${by}: ${times.p50Ms}, ${times.p95Ms} ms, processor ${times.cpuMs} ms, failed ${failed}`);
    return times;
  }

  /** Downloads as many of the newest days as have about a million rows. */
  async file(credentials: Credentials, newestMs: number, rowsOfAll: number): Promise<FileTimes> {
    const { caller, pid, clickHousePid } = this.#of;
    const days = Math.max(1, Math.min(DAYS, Math.ceil(CSV_ROWS / (rowsOfAll / 2 / DAYS))));
    const path = (from: number) => `${MERCHANT_BASE}/transactions.csv?lang=it&from=${dayOf(newestMs - from * DAY_MS)}`;
    // The path of a file is compiled, and the heap has its size.
    await caller.send({ path: path(2), headers: { ...credentials } }, () => {});
    const memory = async () => ({ node: await rssOf(pid), clickHouse: await rssOf(clickHousePid) });
    const cpu = async () => (await cpuMsOf(pid)) + (await cpuMsOf(clickHousePid));
    const before = await memory();
    const most = { ...before };
    const look = setInterval(async () => {
      const now = await memory();
      most.node = Math.max(most.node, now.node);
      most.clickHouse = Math.max(most.clickHouse, now.clickHouse);
    }, MEMORY_LOOK_MS);
    const beside = new LooksBeside(caller, credentials);
    const [startedMs, cpuBefore] = [performance.now(), await cpu()];
    let [lines, bytes] = [0, 0];
    const { status } = await caller.send({ path: path(days), headers: { ...credentials } }, (piece) => {
      bytes += piece.length;
      for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, at + 1)) lines += 1;
    });
    const seconds = rounded((performance.now() - startedMs) / 1_000);
    const cpuSeconds = rounded(((await cpu()) - cpuBefore) / 1_000);
    clearInterval(look);
    const looks = await beside.stop();
    if (status !== 200) throw new Error(`the file was answered ${status}`);
    const mb = (grown: number) => Math.round(grown / 1_048_576);
    return {
      // The first line has the headings.
      ...{ rows: lines - 1, bytes, seconds, cpuSeconds },
      nodeGrowthMb: mb(most.node - before.node),
      clickHouseGrowthMb: mb(most.clickHouse - before.clickHouse),
      besideP50Ms: rounded(percentile(looks, 0.5)),
      besideP99Ms: rounded(percentile(looks, 0.99)),
    };
  }
}

/** Asks who is signed in, again and again, from when it is made. */
class LooksBeside {
  readonly #times: number[] = [];
  readonly #ended: Promise<void>;
  #isOver = false;

  constructor(caller: PortalCaller, credentials: Credentials) {
    this.#ended = this.#look(caller, credentials);
  }

  async #look(caller: PortalCaller, credentials: Credentials): Promise<void> {
    while (!this.#isOver) {
      const startedMs = performance.now();
      await caller.must({ path: `${MERCHANT_BASE}/session`, headers: { ...credentials } });
      this.#times.push(performance.now() - startedMs);
      await delay(LOOK_BESIDE_MS);
    }
  }

  async stop(): Promise<readonly number[]> {
    this.#isOver = true;
    await this.#ended;
    return this.#times;
  }
}

/** Near enough: the installation's zone is an hour or two ahead. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

interface ListsFound {
  rows: number;
  rounds: number;
  times: readonly ListTimes[];
  reports: { cold: ListTimes; shared: ListTimes };
  file: FileTimes;
}

function resultOf(found: ListsFound): PartResult {
  const { rows, rounds, times, reports, file } = found;
  const ofReports = new Set([reports.cold, reports.shared]);
  const slowest = times.filter((one) => !ofReports.has(one)).sort((one, other) => other.p95Ms - one.p95Ms)[0];
  const goals: Goal[] = [
    { what: `slowest list, p95 (${slowest?.what}, by ${slowest?.by})`, found: slowest?.p95Ms ?? Number.NaN, most: LIST_MS_MAX, unit: "ms" },
    { what: "report of a year, p95", found: reports.cold.p95Ms, most: REPORT_MS_MAX, unit: "ms" },
    { what: "the same report again, p95", found: reports.shared.p95Ms, most: REPORT_SHARED_MS_MAX, unit: "ms" },
    { what: `CSV of ${file.rows.toLocaleString("en")} rows`, found: file.seconds, most: CSV_SECONDS_MAX, unit: "s" },
    { what: "memory of the node that it takes", found: file.nodeGrowthMb, most: CSV_GROWTH_MB_MAX, unit: "MB" },
  ];
  const markdown = [
    `${rows.toLocaleString("en")} rows of a year, half of them of one merchant, the others of 1,000 merchants. Whole requests over HTTP to a whole relay, one at a time, ${rounds} of each, pages of 50; \`processor\` is what the node and its ClickHouse`,
    "took of one.",
    "",
    goalsTable(goals),
    "",
    markdownTable(
      ["", "by", "p50 ms", "p95 ms", "longest", "processor ms", "not 200"],
      times.map(({ what, by, p50Ms, p95Ms, mostMs, cpuMs, failed }) => [what, by, p50Ms, p95Ms, mostMs, cpuMs, failed]),
    ),
    "",
    `The file had ${Math.round(file.bytes / 1e6)} MB and took ${file.cpuSeconds} s of processors; ClickHouse grew by ${file.clickHouseGrowthMb} MB. A session check meanwhile took ${file.besideP50Ms} ms (median), ${file.besideP99Ms} ms (p99).`,
  ].join("\n");
  return { title: "Lists over HTTP", json: found, markdown, goals };
}
