import type { Panel } from "../../charts/panel.ts";
import { FEED_GOAL_PER_SECOND } from "../../cluster/feed-goal.ts";
import { entriesOf, listOf, memberOf, numberOf, textOf } from "../read.ts";
import { bar, latencies, medianBar } from "./parts.ts";

/** A cluster: a node by itself and one of three, a dead node, and the feed. */
export function clusterPanels(json: unknown): Panel[] {
  const loads = listOf(json, "loads").map((load) => ({ load, what: textOf(load, "what") ?? "" }));
  const flatOut = loads.filter(({ what }) => !what.includes("push"));
  const colourOf = (what: string) => (what.includes("of three") ? 4 : 2);
  const percentiles = (load: unknown, of: string) => ["p50", "p99", "p999"].map((member) => numberOf(load, "result", of, member));
  return [
    {
      kind: "bars",
      title: "Requests as fast as they are taken",
      unit: "a second",
      bars: flatOut.flatMap(({ load, what }) => bar(what, numberOf(load, "result", "perSecond"), { colour: colourOf(what) })),
    },
    {
      kind: "bars",
      title: "Time on a core of nodes and Redis",
      unit: "µs a request",
      bars: loads.flatMap(({ load, what }) => bar(what, numberOf(load, "cpuMicros"), { colour: colourOf(what) })),
    },
    latencies(
      "Latencies",
      ["p50", "p99", "p99.9"],
      loads.flatMap(({ load, what }) => [
        { label: `${what.replace("pay → push at half of that", "pay at half of that")}`, values: percentiles(load, "answer") },
        ...(memberOf(load, "result", "push") === null ? [] : [{ label: what, values: percentiles(load, "push") }]),
      ]),
    ),
    {
      kind: "bars",
      title: "A node killed with -9: until its terminals work again",
      unit: "ms",
      bars: [
        ...bar("median", numberOf(json, "dead", "medianMs"), { colour: 0 }),
        ...bar("the last", numberOf(json, "dead", "lastMs"), { colour: 0 }),
      ],
    },
    ...feedPanels({ runs: [memberOf(json, "feed")] }),
  ];
}

/** The feed by itself, run after run. */
export function feedPanels(json: unknown): Panel[] {
  const runs = listOf(json, "runs").filter((run) => run !== null);
  const goal = { at: FEED_GOAL_PER_SECOND, better: "more" } as const;
  const nameOf = (index: number) => (runs.length === 1 ? "" : `run ${index + 1}, `);
  const processes = [...new Set(runs.flatMap((run) => entriesOf(run, "cpuMicros").map(([name]) => name)))];
  return [
    {
      kind: "bars",
      title: "Feed: rows from the outbox through Kafka into ClickHouse",
      unit: "rows a second",
      bars: runs.flatMap((run, index) => [
        ...bar(`${nameOf(index)}from the start to the last row`, numberOf(run, "perSecond"), { colour: 3 }),
        ...bar(`${nameOf(index)}between a tenth and nine tenths`, numberOf(run, "steadyPerSecond"), { colour: 3, goal }),
      ]),
    },
    {
      kind: "bars",
      title: "Feed: time on a core by process",
      unit: "µs a row",
      bars: processes.flatMap((name) => {
        const each = runs.flatMap((run) => numberOf(run, "cpuMicros", name) ?? []);
        return medianBar(name.replace("node-0", "node"), each, { colour: 5 });
      }),
    },
    latencies(
      "Feed: from the commit of a row to ClickHouse answering with it, at rest",
      ["median", "longest"],
      runs.map((run, index) => ({
        label: runs.length === 1 ? "one row" : `run ${index + 1}`,
        values: [numberOf(run, "lagMs", "p50"), numberOf(run, "lagMs", "max")],
      })),
    ),
  ];
}
