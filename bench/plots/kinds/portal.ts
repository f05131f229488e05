import type { Bar, Panel } from "../../charts/panel.ts";
import { entriesOf, listOf, numberOf, textOf } from "../read.ts";
import { bar, latencies } from "./parts.ts";

/** The parts of the merchants' portal that were measured: each with its goals, and its times where it has a list of them. */
export function portalPanels(json: unknown): Panel[] {
  return entriesOf(json).flatMap(([part, found]) => [...goals(part, found), times(part, found), mornings(part, found)]);
}

function goals(part: string, found: unknown): Panel[] {
  const bars = listOf(found, "goals").flatMap((goal): Bar[] => {
    const [value, most] = [numberOf(goal, "found"), numberOf(goal, "most")];
    const share = value === null || most === null || most <= 0 ? null : value / most;
    return bar(textOf(goal, "what") ?? "", share, { goal: { at: 1, better: "less" } });
  });
  return [{ kind: "bars", title: `Goals of ${part}: found by wanted, 1 or less is met`, unit: "of the goal", bars }];
}

function times(part: string, found: unknown): Panel {
  return latencies(
    `Times of ${part}${rowsOf(found)}`,
    ["p50", "p95"],
    listOf(found, "times").flatMap((time) => {
      const what = textOf(time, "what");
      if (what === null) return [];
      const by = textOf(time, "by");
      const values = ["p50Ms", "p95Ms"].map((member) => numberOf(time, member));
      return [{ label: by === null ? what : `${what}, by ${by}`, values }];
    }),
  );
}

function mornings(part: string, found: unknown): Panel {
  return {
    kind: "bars",
    title: `${part}: most charged in a minute`,
    unit: "a minute",
    bars: listOf(found, "mornings").flatMap((morning) =>
      bar(textOf(morning, "name") ?? "", numberOf(morning, "mostInAMinute"), { colour: 3 }),
    ),
  };
}

function rowsOf(found: unknown): string {
  const rows = numberOf(found, "rows");
  return rows === null ? "" : ` over ${rows.toLocaleString("en")} rows`;
}
