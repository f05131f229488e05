import { Agent } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { MERCHANT_BASE } from "../../http/surfaces/merchant/surface.ts";
import { type AskedChild, forkChild } from "../load/child.ts";
import { latenciesOf } from "../load/latencies.ts";
import type { LoadAnswer, LoadResult, LoadTask } from "../load/task.ts";
import { type DemoShop, makeDemoShop } from "./demo-shop.ts";
import { goalsTable, loadText, markdownTable, type PartResult, percentile, rounded } from "./part.ts";
import { type Credentials, PortalCaller } from "./person.ts";
import { clickHouseOf, cpuMsOf } from "./process-times.ts";

const PORTAL_PER_SECOND = 50;

/** What people's pages ask for, in turn. */
const PORTAL_PATHS = ["/session", "/transactions?limit=50", "/overview", "/terminals"];

/** Of payments on a schedule: a tenth of what a node of one shard takes, so that a payment that is late waited for something else than other payments. */
const PAYS_PER_SECOND = 2_000;
const PACED_CONNECTIONS = 256;
const FULL_CONNECTIONS = 64;

/** A relay that has just started is slow until its path is compiled. */
const FIRST_WARM_UP_MS = 6_000;
const WARM_UP_MS = 1_000;

/** Of more or less than without, that is still the same. */
const WITHIN = 0.05;

interface Slice {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  unexpected: number;
  /** Of the whole node with its ClickHouse, a second. */
  cpuMs: number;
}

/** Payments alone, with the portal beside them, and alone again. */
interface Turn {
  before: Slice;
  beside: Slice;
  after: Slice;
}

interface BesideRound {
  paced: Turn;
  full: Turn;
}

export interface BesideOptions {
  rounds: number;
  seconds: number;
  say(text: string): void;
}

/** Payments with and without people at their portal. */
export async function measureBeside({ rounds, seconds, say }: BesideOptions): Promise<PartResult> {
  const shop = await makeDemoShop(say);
  const generator = forkChild<LoadTask, LoadAnswer>("load/generator.ts");
  const portal: PortalTimes = { times: [], failed: 0 };
  try {
    const found: BesideRound[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const { paced, full } = await oneRound({ shop, generator, portal, seconds });
      found.push({ paced, full });
      say(
        `round ${round}: p99 ${paced.before.p99Ms}, ${paced.beside.p99Ms}, ${paced.after.p99Ms} ms; ${full.before.perSecond}, ${full.beside.perSecond}, ${full.after.perSecond} a second (load ${loadText()})`,
      );
    }
    return resultOf(found, portal, seconds);
  } finally {
    await generator.stop();
    await shop.remove();
  }
}

/** Below a minute, after which payments that nobody took would expire. */
async function oneRound(of: {
  shop: DemoShop;
  generator: AskedChild<LoadTask, LoadAnswer>;
  portal: PortalTimes;
  seconds: number;
}): Promise<BesideRound> {
  const { shop, generator, portal, seconds } = of;
  const relay = await shop.start();
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  try {
    const clickHousePid = await clickHouseOf(relay.pid);
    const caller = new PortalCaller(relay.port, agent);
    const person = await caller.signInOwner();
    let phase = 0;
    const measure = async (task: Pick<LoadTask, "connections" | "ratePerSecond">, warmUpMs: number): Promise<LoadResult> => {
      phase += 1;
      const answer = await generator.ask({
        ...{ kind: "pay", port: relay.port, serverPid: relay.pid, servingThread: null, sessions: 0, warmUpMs, phase },
        measureMs: seconds * 1_000,
        ...task,
      });
      if (answer.type === "failed") throw new Error(answer.reason);
      return answer.result;
    };
    const slice = async (task: Pick<LoadTask, "connections" | "ratePerSecond">): Promise<Slice> => {
      const cpu = async () => (await cpuMsOf(relay.pid)) + (await cpuMsOf(clickHousePid));
      const [startedMs, cpuBefore] = [performance.now(), await cpu()];
      const { perSecond, answer, unexpected } = await measure(task, WARM_UP_MS);
      return {
        perSecond: Math.round(perSecond),
        p50Ms: rounded(answer.p50),
        p99Ms: rounded(answer.p99),
        unexpected: Object.values(unexpected).reduce((sum, count) => sum + count, 0),
        cpuMs: Math.round((((await cpu()) - cpuBefore) / (performance.now() - startedMs)) * 1_000),
      };
    };
    const turn = async (task: Pick<LoadTask, "connections" | "ratePerSecond">): Promise<Turn> => ({
      before: await slice(task),
      beside: await withPortal(caller, person, portal, () => slice(task)),
      after: await slice(task),
    });
    const pacedTask = { connections: PACED_CONNECTIONS, ratePerSecond: PAYS_PER_SECOND };
    const fullTask = { connections: FULL_CONNECTIONS, ratePerSecond: null };
    // Both paths are compiled.
    await withPortal(caller, person, { times: [], failed: 0 }, () => measure(fullTask, FIRST_WARM_UP_MS));
    return { paced: await turn(pacedTask), full: await turn(fullTask) };
  } finally {
    agent.destroy();
    await relay.stop();
  }
}

interface PortalTimes {
  times: number[];
  failed: number;
}

/** Runs `work` while people's pages ask on a fixed schedule. */
async function withPortal<T>(caller: PortalCaller, person: Credentials, portal: PortalTimes, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const under: Promise<void>[] = [];
  const ask = async (index: number, dueMs: number): Promise<void> => {
    const path = `${MERCHANT_BASE}${PORTAL_PATHS[index % PORTAL_PATHS.length]}`;
    const answer = await caller.send({ path, headers: { ...person } }).catch(() => null);
    if (answer?.status === 200) portal.times.push(performance.now() - dueMs);
    else portal.failed += 1;
  };
  const asking = (async () => {
    const startedMs = performance.now();
    for (let index = 0; !isOver; index += 1) {
      const dueMs = startedMs + (index * 1_000) / PORTAL_PER_SECOND;
      await delay(Math.max(0, dueMs - performance.now()));
      under.push(ask(index, performance.now()));
    }
  })();
  try {
    return await work();
  } finally {
    isOver = true;
    await asking;
    await Promise.all(under);
  }
}

/** Of what it was beside the portal to the mean of before and after; and of after to before, which shows what the machine does by itself. */
function ratiosOf(turns: readonly Turn[], of: (slice: Slice) => number): { beside: number[]; alone: number[] } {
  return {
    beside: turns.map(({ before, beside, after }) => (2 * of(beside)) / (of(before) + of(after))),
    alone: turns.map(({ before, after }) => of(after) / of(before)),
  };
}

function resultOf(rounds: readonly BesideRound[], portal: PortalTimes, seconds: number): PartResult {
  const [paced, full] = [rounds.map((round) => round.paced), rounds.map((round) => round.full)];
  const p99 = ratiosOf(paced, ({ p99Ms }) => p99Ms);
  const throughput = ratiosOf(full, ({ perSecond }) => perSecond);
  const median = (values: readonly number[]) => percentile(values, 0.5);
  const percent = (ratio: number) => rounded((ratio - 1) * 100);
  const cpuOfRequest = median(
    paced.map(({ before, beside, after }) => (beside.cpuMs - (before.cpuMs + after.cpuMs) / 2) / PORTAL_PER_SECOND),
  );
  const goals = [
    { what: "payments' p99, longer by", found: percent(median(p99.beside)), most: WITHIN * 100, unit: "%" },
    { what: "payments a second at most, fewer by", found: -percent(median(throughput.beside)), most: WITHIN * 100, unit: "%" },
  ];
  const row = (name: string, turns: readonly Turn[]) => [
    name,
    ...[turns.flatMap(({ before, after }) => [before, after]), turns.map(({ beside }) => beside)].map((slices) => {
      const of = (member: (slice: Slice) => number) => rounded(median(slices.map(member)));
      return `${of(({ perSecond }) => perSecond)} a second, ${of(({ p50Ms }) => p50Ms)}, ${of(({ p99Ms }) => p99Ms)} ms`;
    }),
  ];
  const spread = ({ beside, alone }: { beside: readonly number[]; alone: readonly number[] }) =>
    `${percent(median(beside))} % (${beside.map(percent).join(", ")}); by itself from one measurement to the next but one ${percent(median(alone))} % (${alone.map(percent).join(", ")})`;
  const { median: portalMedian, p99: portalP99, most } = latenciesOf(portal.times);
  const unexpected = [...paced, ...full]
    .flatMap(({ before, beside, after }) => [before, beside, after])
    .reduce((sum, slice) => sum + slice.unexpected, 0);
  const markdown = [
    `A node of one shard with the demo shop. In each of ${rounds.length} rounds, with a fresh relay, payments alone, with ${PORTAL_PER_SECOND} portal requests a second beside them (session, page of transactions, overview and terminals in turn), and alone`,
    `again, ${seconds} s each; first ${PAYS_PER_SECOND.toLocaleString("en")} payments a second on a schedule, then as many as the node takes over ${FULL_CONNECTIONS} connections. The generator, the portal's requests and ClickHouse share the machine with the node.`,
    "",
    goalsTable(goals),
    "",
    markdownTable(
      ["payments: a second, median, p99", "alone", "beside the portal"],
      [row("on a schedule", paced), row("as many as it takes", full)],
    ),
    "",
    `p99 on the schedule: ${spread(p99)}. Throughput: ${spread(throughput)}.`,
    "",
    `A portal request took the node and its ClickHouse ${rounded(cpuOfRequest)} ms of processor; answered within ${portalMedian} ms (median), ${portalP99} ms (p99), ${most} ms at most; ${portal.failed} of ${portal.times.length + portal.failed} not answered 200. Payments not answered 200: ${unexpected}.`,
  ].join("\n");
  const json = { seconds, rounds, portal: { ...latenciesOf(portal.times), failed: portal.failed, cpuMs: cpuOfRequest } };
  return { title: "Payments beside the portal", json, markdown, goals };
}
