import type { Panel } from "../../charts/panel.ts";
import { listOf, memberOf, numberOf } from "../read.ts";
import { bar, latencies, latencyRow, medianBar } from "./parts.ts";

/** Pending payment links on one shard. */
export function linksPanels(json: unknown): Panel[] {
  const links = numberOf(json, "links");
  const perSecond = (part: string) => {
    const counts = listOf(json, part, "perSecond").filter((count) => typeof count === "number");
    return counts.map((count, second) => [second + 1, count] as const);
  };
  const growth = (after: string, before: string) => {
    const [more, less] = [numberOf(json, "steady", after), numberOf(json, "steady", before)];
    return more === null || less === null || links === null || links === 0 ? null : (more - less) / links;
  };
  const starts = (part: string, member: string) => listOf(json, part).flatMap((start) => numberOf(start, member) ?? []);
  const megabytes = (part: string) => starts(part, "rss").map((bytes) => bytes / 2 ** 20);
  return [
    {
      kind: "lines",
      chart: {
        title: "Links verified, second by second",
        series: [
          { name: "steady load", points: perSecond("steady") },
          { name: "after an outage, all deadlines missed", points: perSecond("caughtUp") },
        ],
        xLabel: "seconds",
        yLabel: "links a second",
        yScale: "linear",
      },
    },
    {
      kind: "bars",
      title: "Memory of a pending link",
      unit: "bytes",
      bars: [
        ...bar("heap, collected", growth("heapPending", "heapBefore"), { colour: 5 }),
        ...bar("resident", growth("rssPending", "rssBefore"), { colour: 5 }),
      ],
    },
    {
      kind: "bars",
      title: "Links created, each stored before and after the gateway's answer",
      unit: "a second",
      bars: bar("created", numberOf(json, "steady", "createdPerSecond"), { colour: 3 }),
    },
    {
      kind: "bars",
      title: "A whole node: start until it is ready",
      unit: "ms",
      bars: [
        ...medianBar("without links", starts("without", "readyMs"), { colour: 7 }),
        ...medianBar("with the links", starts("withLinks", "readyMs")),
      ],
    },
    {
      kind: "bars",
      title: "Its resident memory three seconds later",
      unit: "MB",
      bars: [...medianBar("without links", megabytes("without"), { colour: 7 }), ...medianBar("with the links", megabytes("withLinks"))],
    },
  ];
}

const STARTS = [
  ["build", true, "a build, on an empty folder"],
  ["build", false, "a build, again"],
  ["sources", true, "the sources, on an empty folder"],
  ["sources", false, "the sources, again"],
] as const;

/** From the start of a sandbox node to its first payment. */
export function startPanels(json: unknown): Panel[] {
  const starts = listOf(json, "starts");
  const bars = (member: string) =>
    STARTS.flatMap(([program, isFirst, label]) => {
      const these = starts.filter((start) => memberOf(start, "program") === program && memberOf(start, "isFirst") === isFirst);
      const values = these.flatMap((start) => numberOf(start, member) ?? []);
      return medianBar(label, values, { colour: program === "build" ? 2 : 1 });
    });
  return [
    { kind: "bars", title: "Start to the first payment, medians, the least and the most", unit: "ms", bars: bars("paidMs") },
    { kind: "bars", title: "Start to /health/ready", unit: "ms", bars: bars("readyMs") },
    { kind: "bars", title: "Processor time of the node until the payment", unit: "ms", bars: bars("cpuMs") },
  ];
}

/** Payments beside an upload and downloads of packages. */
export function packagesPanels(json: unknown): Panel[] {
  const rounds = listOf(json, "rounds");
  const members = ["p50", "p99", "p999"];
  const ratios = rounds.flatMap((round) => {
    const [without, beside] = [numberOf(round, "without", "p99"), numberOf(round, "beside", "p99")];
    return without === null || beside === null || without <= 0 ? [] : [beside / without];
  });
  return [
    latencies(
      "Payments on a schedule, with and without an upload of 500 MB and 50 downloads beside them",
      ["p50", "p99", "p99.9"],
      rounds.flatMap((round, index) => [
        latencyRow(`round ${index + 1}, nothing else`, round, ["without"], members),
        latencyRow(`round ${index + 1}, beside transfers`, round, ["beside"], members),
      ]),
    ),
    {
      kind: "bars",
      title: "p99 beside transfers to p99 without",
      unit: "ratio",
      bars: [...medianBar("median of the rounds", ratios, { goal: { at: 2, better: "less" } })],
    },
  ];
}
