import type { Panel } from "../../charts/panel.ts";
import { listOf, memberOf, numberOf, textOf } from "../read.ts";
import { bar, latencies, latencyRow, medianBar } from "./parts.ts";

const NAMES = ["median", "p99", "longest"];
const MEMBERS = ["median", "p99", "most"];

/** Payment intents of the compatible API. */
export function intentsPanels(json: unknown): Panel[] {
  return [
    {
      kind: "bars",
      title: "Intents created and confirmed",
      unit: "a second",
      bars: [
        ...bar("as fast as they are taken", numberOf(json, "result", "flatOut", "perSecond")),
        ...bar("half of that, beside payments", numberOf(json, "result", "half", "perSecond")),
      ],
    },
    latencies("Latencies", NAMES, [
      latencyRow("create, as fast as it goes", json, ["result", "flatOut", "create"], MEMBERS),
      latencyRow("confirm, as fast as it goes", json, ["result", "flatOut", "confirm"], MEMBERS),
      latencyRow("create, at half load", json, ["result", "half", "create"], MEMBERS),
      latencyRow("confirm, at half load", json, ["result", "half", "confirm"], MEMBERS),
      latencyRow("terminal payments alone", json, ["result", "payAlone"], MEMBERS),
      latencyRow("terminal payments beside intents", json, ["result", "payBeside"], MEMBERS),
    ]),
  ];
}

const LOGINS = [
  ["partnersQuiet", "a partner's first login, nothing else"],
  ["partnersOneAddress", "the same, guesses from one address"],
  ["partnersOne64", "the same, guesses from one /64"],
  ["administrator", "the administrator, guesses from 2,000"],
  ["payQuiet", "payments by API key, nothing else"],
  ["payFlood", "the same under guesses"],
] as const;

/** What guessing passwords costs whom; another checkout beside this one has a colour of its own. */
export function loginsPanels(json: unknown): Panel[] {
  const results = listOf(json, "results").map((one) => ({ name: textOf(one, "name") ?? "", result: memberOf(one, "result") }));
  // The last one is what is measured; another checkout before it is grey.
  const colourOf = (index: number) => (index === results.length - 1 ? 2 : 7);
  const of = (name: string) => (results.length === 1 ? "" : `${name}: `);
  return [
    {
      kind: "bars",
      title: "Guesses that were checked, less is better",
      unit: "a second",
      bars: results.flatMap(({ name, result }, index) => [
        ...bar(`${of(name)}from one address`, numberOf(result, "oneAddress", "checked"), { colour: colourOf(index) }),
        ...bar(`${of(name)}from the addresses of one /64`, numberOf(result, "one64", "checked"), { colour: colourOf(index) }),
      ]),
    },
    {
      kind: "bars",
      title: "Guesses that were answered",
      unit: "a second",
      bars: results.flatMap(({ name, result }, index) => [
        ...bar(`${of(name)}from one address`, numberOf(result, "oneAddress", "answered"), { colour: colourOf(index) }),
        ...bar(`${of(name)}from the addresses of one /64`, numberOf(result, "one64", "answered"), { colour: colourOf(index) }),
      ]),
    },
    latencies(
      "What others wait meanwhile",
      NAMES,
      LOGINS.flatMap(([member, label]) => results.map(({ name, result }) => latencyRow(`${of(name)}${label}`, result, [member], MEMBERS))),
    ),
  ];
}

/** One event to many endpoints. */
export function webhooksPanels(json: unknown): Panel[] {
  const results = listOf(json, "results");
  const endpoints = numberOf(json, "endpoints");
  const each = (member: string) => results.flatMap((result) => numberOf(result, member) ?? []);
  const rates = (member: string) => each(member).flatMap((ms) => (endpoints === null || ms <= 0 ? [] : [(endpoints * 1_000) / ms]));
  return [
    {
      kind: "bars",
      title: "Deliveries, median of the events, the least and the most",
      unit: "a second",
      bars: [
        ...medianBar("one event to all endpoints", rates("deliveredMs")),
        ...medianBar("the same posts alone", rates("bareMs"), { colour: 7 }),
      ],
    },
    {
      kind: "bars",
      title: "From the event",
      unit: "ms",
      bars: [
        ...medianBar("to the first delivery", each("firstMs"), { colour: 3 }),
        ...medianBar("until it is fanned out", each("fannedOutMs"), { colour: 3 }),
        ...medianBar("until everyone is told", each("deliveredMs"), { colour: 3 }),
        ...medianBar("the oldest one was due for", each("oldestDueMs"), { colour: 1 }),
      ],
    },
  ];
}

/** Cash registers. */
export function zvtPanels(json: unknown): Panel[] {
  return [
    latencies("A hundred payments at once", NAMES, [
      latencyRow("06-01 of a register to the terminal's push", json, ["result", "zvt"], MEMBERS),
      latencyRow("REST payment to the terminal's push", json, ["result", "rest"], MEMBERS),
      latencyRow("a register's whole sale", json, ["result", "wholeSale"], MEMBERS),
    ]),
    {
      kind: "bars",
      title: "Memory of an idle register",
      unit: "KB",
      bars: bar("resident", numberOf(json, "result", "idleKilobytes"), { colour: 5 }),
    },
  ];
}
