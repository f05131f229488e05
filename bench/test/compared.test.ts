import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TreesUse } from "../load/process-trees.ts";
import { LIFE_STEPS, type LoadResult, type StepResult } from "../load/task.ts";
import { CASES, type ComparedRound, type ContenderRound } from "../peers/compare.ts";
import type { ContenderName } from "../peers/names.ts";
import { paymentsAwayFromRehash } from "../peers/redis-store.ts";
import { outboxIn } from "../peers/rows.ts";
import { foreignCores, summarizeCompared } from "../peers/summary.ts";
import { comparedTables } from "../peers/tables.ts";

const SECONDS = 2;

interface Told {
  /** Of a request, by process. */
  micros: { [process: string]: number };
  requests?: number;
  bytes?: number;
  p99?: number;
  foreign?: number;
}

function usageOf({ micros, requests = 1_000, bytes = 1_000, foreign = 0 }: Told): TreesUse {
  const servers = Object.entries(micros).map(([name, of]) => [name, { cpuMs: (of * requests) / 1_000, writtenBytes: 0 }] as const);
  const generator = { cpuMs: 500, writtenBytes: 9_999_999 };
  const processes: TreesUse["processes"] = { ...Object.fromEntries(servers), generator };
  const [first] = servers;
  if (first !== undefined) processes[first[0]] = { ...first[1], writtenBytes: bytes * requests };
  const ours = Object.values(processes).reduce((sum, { cpuMs }) => sum + cpuMs, 0);
  return { processes, machineBusyMs: ours + foreign * SECONDS * 1_000, seconds: SECONDS };
}

function latency(p99: number) {
  return { count: 1_000, p50: p99 / 2, p99, p999: p99 * 2, max: p99 * 3 };
}

function resultOf(told: Told, channel: "poll" | "push" | null): LoadResult {
  const { requests = 1_000, p99 = 10 } = told;
  const steps = channel === null ? [] : LIFE_STEPS[channel].map((step, index) => [step, latency(p99 - index)] as const);
  return {
    seconds: SECONDS,
    requests,
    perSecond: requests / SECONDS,
    answer: latency(p99 * 3),
    push: null,
    pushFromDue: null,
    missingPushes: 1,
    lateness: null,
    unexpected: { 500: 2 },
    generatorShare: 0.25,
    server: null,
    ...(channel === null ? {} : { steps: Object.fromEntries(steps) }),
    use: usageOf(told),
  };
}

function roundOf(name: ContenderName, told: Told): ContenderRound {
  const channels = { get: null, pay: null, payPaced: null, life: "poll", lifePaced: "poll", push: "push", pushPaced: "push" } as const;
  const step = (named: string): StepResult => ({
    step: named,
    requests: 1_000,
    perSecond: 500,
    answer: latency(told.p99 ?? 10),
    use: usageOf(told),
    unexpected: 0,
  });
  const steps = { steps: LIFE_STEPS.poll.map(step), rest: usageOf(told) };
  const [get, life, lifePaced, push, pushPaced, pay, payPaced] = CASES.map((of) => resultOf(told, channels[of]));
  assert.ok(get && life && lifePaced && push && pushPaced && pay && payPaced);
  return {
    name,
    startMs: name === "relay" ? 500 : 250,
    terminalBytes: 4_096,
    cases: { get, life, lifePaced, push, pushPaced, pay, payPaced },
    steps: { full: steps, paced: steps },
    logRewrites: name === "relay" ? null : 1,
    rowsAfterMs: name === "relay" ? 900 : null,
  };
}

const raw = { get: resultOf({ micros: { node: 4 } }, null), pay: resultOf({ micros: { node: 6 } }, null) };

/** Returns rounds of the relay and Fastify, in either order, and of further contenders behind them. */
function rounds(
  ...told: readonly (readonly [relay: Told, fastify: Told, more?: { readonly [name in ContenderName]?: Told }])[]
): ComparedRound[] {
  return told.map(([relay, fastify, more = {}], index) => {
    const named = Object.entries(more) as [ContenderName, Told][];
    const both = [roundOf("relay", relay), roundOf("fastify", fastify), ...named.map(([name, one]) => roundOf(name, one))];
    return { raw, contenders: index % 2 === 0 ? both : both.reverse() };
  });
}

function caseOf(measured: readonly ComparedRound[], name: ContenderName, of: "life" | "pay") {
  const found = summarizeCompared(measured)?.cases.find((summary) => summary.name === name && summary.case === of);
  assert.ok(found !== undefined);
  return found;
}

describe("the relay beside its peers", () => {
  it("has for each the time of all its processes for one life, without the generator's, and what they wrote", () => {
    const measured = rounds([{ micros: { node: 100, clickhouse: 20 }, bytes: 5_900 }, { micros: { node: 60, redis: 20 } }]);
    const { cpuMicros, cpuMicrosByProcess, bytes, errors } = caseOf(measured, "relay", "life");
    assert.deepEqual(
      { cpuMicros, cpuMicrosByProcess, bytes },
      { cpuMicros: 120, cpuMicrosByProcess: { node: 100, clickhouse: 20 }, bytes: 5_900 },
    );
    assert.equal(errors, 3);
  });

  it("tells ratios of one round, and their median, whatever the machine's speed was in each", () => {
    const measured = rounds(
      [
        { micros: { node: 100 }, p99: 12 },
        { micros: { node: 100 }, p99: 6 },
      ],
      [
        { micros: { node: 300 }, p99: 30 },
        { micros: { node: 200 }, p99: 10 },
      ],
      [
        { micros: { node: 400 }, p99: 40 },
        { micros: { node: 200 }, p99: 10 },
      ],
    );
    const { relayCpuRatio, relayP99Ratio } = caseOf(measured, "fastify", "life");
    assert.deepEqual({ relayCpuRatio, relayP99Ratio }, { relayCpuRatio: 1.5, relayP99Ratio: 3 });
    assert.equal(caseOf(measured, "relay", "life").relayCpuRatio, null);
    assert.equal(caseOf(measured, "relay", "life").cpuMicros, 300);
  });

  it("compares each peer with the relay that does the same job", () => {
    const more = { "relay-no-rows": { micros: { node: 60 } }, "fastify-rows": { micros: { node: 80, clickhouse: 40 } } };
    const measured = rounds([{ micros: { node: 90 } }, { micros: { node: 100 } }, more]);
    const ratios = (name: ContenderName) => {
      const { relayCpuRatio, sameJobCpuRatio } = caseOf(measured, name, "life");
      return [relayCpuRatio, sameJobCpuRatio];
    };
    assert.deepEqual(ratios("fastify"), [0.9, 0.6]);
    assert.deepEqual(ratios("fastify-rows"), [0.75, 0.75]);
    assert.deepEqual(ratios("relay-no-rows"), [1.5, null]);
  });

  it("leaves out rounds beside which something else ran, and on neither side of a ratio is there one", () => {
    const measured = rounds(
      [{ micros: { node: 120 } }, { micros: { node: 100 } }],
      [{ micros: { node: 900 }, foreign: 0.3 }, { micros: { node: 100 } }],
      [{ micros: { node: 140 } }, { micros: { node: 500 }, foreign: 0.2 }],
    );
    const [relay, fastify] = [caseOf(measured, "relay", "life"), caseOf(measured, "fastify", "life")];
    assert.deepEqual([relay.clean, relay.rounds, relay.cpuMicros], [2, 3, 130]);
    assert.deepEqual([fastify.clean, fastify.cpuMicros, fastify.relayCpuRatio], [2, 100, 1.2]);
  });

  it("takes all rounds where none is clean, and says so", () => {
    const measured = rounds([
      { micros: { node: 120 }, foreign: 0.5 },
      { micros: { node: 100 }, foreign: 0.5 },
    ]);
    const { clean, cpuMicros, relayCpuRatio } = caseOf(measured, "fastify", "life");
    assert.deepEqual([clean, cpuMicros, relayCpuRatio], [0, 100, 1.2]);
  });

  it("tells of goals whether they were met, or not measured", () => {
    const fastify = { micros: { node: 100 } };
    const told = [{ micros: { node: 50 }, bytes: 3_100 }, fastify, { "fastify-rows": fastify }] as const;
    const goals = Object.fromEntries(summarizeCompared(rounds(told))?.goals.map(({ what, value, met }) => [what, { value, met }]) ?? []);
    assert.deepEqual(goals["CPU a life by poll, relay to Fastify with rows"], { value: 0.5, met: true });
    assert.deepEqual(goals["bytes written a life by poll"], { value: 3_100, met: false });
    const [alone] = rounds(told);
    assert.ok(alone !== undefined);
    const relayAlone = { ...alone, contenders: alone.contenders.filter(({ name }) => name === "relay") };
    const unmeasured = summarizeCompared([relayAlone])?.goals.find(({ what }) => what === "CPU a payment, relay to Fastify with rows");
    assert.deepEqual([unmeasured?.value, unmeasured?.met], [null, null]);
  });

  it("is told without rounds by nothing", () => {
    assert.equal(summarizeCompared([]), null);
  });

  it("is told where the system says nothing of processes, without numbers of them", () => {
    const measured = rounds([{ micros: { node: 1 } }, { micros: { node: 1 } }]);
    for (const { contenders } of measured) {
      for (const { cases, steps } of contenders) {
        for (const of of CASES) cases[of].use = null;
        for (const { steps: all } of Object.values(steps)) for (const step of all) step.use = null;
      }
    }
    const { cpuMicros, bytes, relayCpuRatio, clean } = caseOf(measured, "fastify", "life");
    assert.deepEqual({ cpuMicros, bytes, relayCpuRatio, clean }, { cpuMicros: null, bytes: null, relayCpuRatio: null, clean: 1 });
  });

  it("stands in tables with a cell for each head, beside the raw peer", () => {
    const summary = summarizeCompared(rounds([{ micros: { node: 100, clickhouse: 20 } }, { micros: { node: 60, redis: 20 } }]));
    assert.ok(summary !== null);
    const tables = comparedTables(summary);
    for (const [head = [], ...rows] of tables) {
      assert.ok(rows.length > 0);
      for (const row of rows) assert.equal(row.length, head.length, row.join(" | "));
    }
    const [lives = [], steps = [], requests = []] = tables;
    assert.deepEqual(lives[1]?.slice(0, 4), ["by poll, 64 connections: relay", "500", "120.0", "node 100.0 + clickhouse 20.0"]);
    assert.deepEqual(lives[2]?.slice(0, 5), ["by poll, 64 connections: Fastify", "500", "80.0", "node 60.0 + redis 20.0", "1.50"]);
    assert.deepEqual(steps[1], ["64 connections, pay: relay", "120.0", "node 100.0 + clickhouse 20.0", "10.00", "1.00"]);
    assert.deepEqual(requests[1]?.slice(0, 3), ["get: raw uWebSockets.js", "500", "4.0"]);
  });
});

describe("what else ran", () => {
  it("is what the machine did beside servers and generator", () => {
    assert.equal(foreignCores(usageOf({ micros: { node: 100 }, foreign: 0.25 })), 0.25);
    assert.equal(foreignCores(null), 0);
  });
});

describe("keys of a filled Redis", () => {
  it("are not a little fewer than a power of two, at which its table would grow", () => {
    assert.equal(paymentsAwayFromRehash(1_000_000), Math.ceil((2 ** 21 * 1.025) / 2));
    assert.equal(paymentsAwayFromRehash(700_000), 700_000);
    assert.equal(paymentsAwayFromRehash(2 ** 20 + 1), 2 ** 20 + 1);
  });
});

describe("the outbox in a relay's metrics", () => {
  it("is read, and missed where it is not there", () => {
    const metrics = "# HELP relay_outbox_depth Rows\nrelay_outbox_depth 12\nrelay_outbox_depth_capped 0\nrelay_feed_refused_rows_total 1\n";
    assert.deepEqual(outboxIn(metrics), { waiting: 12, refused: 1 });
    assert.throws(() => outboxIn("relay_outbox_depth_capped 0\n"), /no relay_outbox_depth/);
  });
});
