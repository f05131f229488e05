import type { Bar, Panel } from "../../charts/panel.ts";
import { listOf, memberOf, numberOf, textOf } from "../read.ts";
import { bar, latencies, spreadOf } from "./parts.ts";

/** Where each round keeps what `summary.pairs` has the medians of, in its order. */
const PAIRS = [["get"], ["fleet"], ["pay", "64"], ["pay", "256"]] as const;

const [RELAY, RAW] = [2, 7];

/** A node by itself, beside a raw peer: get, pay and push. */
export function nodePanels(json: unknown): Panel[] {
  const rounds = listOf(json, "rounds");
  const pairs = listOf(json, "summary", "pairs").map((pair, index) => ({
    pair,
    name: textOf(pair, "name") ?? "",
    path: PAIRS[index] ?? [],
  }));
  const ratios = pairs.flatMap(({ pair, name, path }): Bar[] => {
    const goal = numberOf(pair, "goal");
    const each = rounds.flatMap((round) => {
      const [relay, raw] = ["relay", "raw"].map((side) => numberOf(round, ...path, side, "perSecond"));
      return typeof relay === "number" && typeof raw === "number" && raw > 0 ? [relay / raw] : [];
    });
    return bar(name, numberOf(pair, "ratio"), {
      ...spreadOf(each),
      colour: RELAY,
      ...(goal === null ? {} : { goal: { at: goal, better: "more" } }),
    });
  });
  const push = memberOf(json, "summary", "push");
  const goalMs = numberOf(push, "goalP99Ms");
  const pushes = spreadOf(rounds.flatMap((round) => numberOf(round, "push", "push", "p99") ?? []));
  const slow = memberOf(json, "summary", "slowPushes");
  return [
    {
      kind: "bars",
      title: "Requests as fast as they are taken: medians of the rounds, the least and the most",
      unit: "a second",
      bars: pairs.flatMap(({ pair, name, path }) => [
        ...bar(name, numberOf(pair, "relayPerSecond"), { ...spreadIn(rounds, ...path, "relay"), colour: RELAY }),
        ...bar("the same to raw uWebSockets.js", numberOf(pair, "rawPerSecond"), { ...spreadIn(rounds, ...path, "raw"), colour: RAW }),
      ]),
    },
    { kind: "bars", title: "Relay to raw uWebSockets.js, more is better", unit: "ratio", bars: ratios },
    {
      kind: "bars",
      title: "Time on a core of the serving thread",
      unit: "µs a request",
      bars: pairs.flatMap(({ pair, name }) => [
        ...bar(name, numberOf(pair, "relayCpuMicros"), { colour: RELAY }),
        ...bar("the same to raw uWebSockets.js", numberOf(pair, "rawCpuMicros"), { colour: RAW }),
      ]),
    },
    latencies(
      `Latencies at half load${rateOf(push)}`,
      ["p50", "p99", "p99.9"],
      [
        { label: "pay → push", values: [numberOf(push, "p50Ms"), numberOf(push, "p99Ms"), numberOf(push, "p999Ms")] },
        { label: "pay → answer", values: [numberOf(push, "answerP50Ms"), numberOf(push, "answerP99Ms"), null] },
        { label: "the disk by itself, one sync", values: [numberOf(push, "diskP50Ms"), numberOf(push, "diskP99Ms"), null] },
      ],
    ),
    {
      kind: "bars",
      title: "p99 from a payment to its frame at the terminal, at half load",
      unit: "ms",
      bars: bar("pay → push, p99", numberOf(push, "p99Ms"), {
        ...pushes,
        ...(goalMs === null ? {} : { goal: { at: goalMs, better: "less" } }),
      }),
    },
    {
      kind: "bars",
      title: "Pushes over 10 ms: what the relay did meanwhile",
      unit: "% of them",
      bars: SLOW.flatMap(([label, member]) => {
        const share = numberOf(slow, member);
        return bar(label, share === null ? null : share * 100, { colour: 1 });
      }),
    },
    {
      kind: "bars",
      title: "Parts of the hot paths by themselves",
      unit: "µs",
      bars: listOf(json, "micro").flatMap((part) => bar(textOf(part, "name") ?? "", numberOf(part, "micros"), { colour: 5 })),
    },
  ];
}

const SLOW = [
  ["a garbage collection", "besideCollection"],
  ["LevelDB wrote out or merged tables", "besideStoreWork"],
  ["both", "besideBoth"],
  ["neither", "besideNeither"],
] as const;

function spreadIn(rounds: readonly unknown[], ...path: readonly (string | number)[]) {
  return spreadOf(rounds.flatMap((round) => numberOf(round, ...path, "perSecond") ?? []));
}

function rateOf(push: unknown): string {
  const rate = numberOf(push, "ratePerSecond");
  return rate === null ? "" : `, ${Math.round(rate).toLocaleString("en")} payments a second on a schedule`;
}
