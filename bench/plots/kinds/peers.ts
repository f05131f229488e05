import type { Panel } from "../../charts/panel.ts";
import { CONTENDER_LABELS } from "../../peers/names.ts";
import { listOf, memberOf, numberOf, textOf } from "../read.ts";
import { bar, latencies } from "./parts.ts";

/** What people would build instead, beside the relay. */
export function peersPanels(json: unknown): Panel[] {
  const summary = memberOf(json, "comparedSummary");
  const cases = listOf(summary, "cases").flatMap((one) => {
    const [name, of] = [textOf(one, "name"), textOf(one, "case")];
    return name === null || of === null ? [] : [{ one, label: `${CASES[of] ?? of}: ${PROGRAMS[name] ?? name}`, name, of }];
  });
  const compared = (member: string, wanted: (of: string) => boolean) =>
    cases.flatMap(({ one, label, name, of }) => (wanted(of) ? bar(label, numberOf(one, member), { colour: COLOUR_OF[name] ?? 7 }) : []));
  const paced = (of: string) => of.endsWith("Paced");
  return [
    {
      kind: "bars",
      title: "Payments' whole lives, and requests, as fast as they are taken",
      unit: "a second",
      bars: compared("perSecond", (of) => !paced(of) && of !== "get"),
    },
    {
      kind: "bars",
      title: "Time on a core of all processes of the server",
      unit: "µs a life or request",
      bars: compared("cpuMicros", () => true),
    },
    latencies(
      "Latencies",
      ["p50", "p99"],
      cases.map(({ one, label }) => ({ label, values: [numberOf(one, "p50Ms"), numberOf(one, "p99Ms")] })),
    ),
    { kind: "bars", title: "Written to the disk", unit: "bytes a life or request", bars: compared("bytes", (of) => of !== "get") },
    {
      kind: "bars",
      title: "Start on an empty folder to the first payment",
      unit: "ms",
      bars: listOf(summary, "starts").flatMap((start) => {
        const name = textOf(start, "name") ?? "";
        return bar(PROGRAMS[name] ?? name, numberOf(start, "startMs"), { colour: COLOUR_OF[name] ?? 7 });
      }),
    },
    {
      kind: "bars",
      title: "Goals: found by wanted, 1 or less is met",
      unit: "of the goal",
      bars: listOf(summary, "goals").flatMap((goal) => {
        const [found, wanted] = [numberOf(goal, "value"), numberOf(goal, "goal")];
        const share = found === null || wanted === null || wanted <= 0 ? null : found / wanted;
        return bar(textOf(goal, "what") ?? "", share, { goal: { at: 1, better: "less" } });
      }),
    },
  ];
}

const CASES: { readonly [name: string]: string } = {
  life: "by poll, 64 connections",
  lifePaced: "by poll, 1,000 a second",
  push: "by push, 64 connections",
  pushPaced: "by push, 1,000 a second",
  pay: "pay, 64 connections",
  payPaced: "pay, 1,000 a second",
  get: "get, 64 connections",
};

/** Results of other releases may name other contenders. */
const PROGRAMS: { readonly [name: string]: string } = CONTENDER_LABELS;

const COLOUR_OF: { readonly [name: string]: number } = {
  relay: 2,
  "relay-no-rows": 5,
  fastify: 1,
  "fastify-rows": 6,
  "fastify-redis": 3,
  spring: 4,
};
