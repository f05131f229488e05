import type { Interval } from "./measurements.ts";

/** One line of what has just happened, short enough for a terminal. */
export function progressLine(
  { untilSeconds, due, latencies, errors, retried }: Interval,
  { underWay, forMs }: { underWay: number; forMs: number },
): string {
  const { pay, push, found, installed } = latencies;
  const parts = [
    `${clock(untilSeconds)} of ${clock(forMs / 1_000)}`,
    `due ${due}`,
    pay === undefined ? "" : `pay ${pay.count}: p50 ${pay.p50} p99 ${pay.p99} ms`,
    push === undefined ? "" : `push p99 ${push.p99} ms`,
    found === undefined ? "" : `found p99 ${found.p99} ms`,
    installed === undefined ? "" : `installed ${installed.count}`,
    `under way ${underWay}`,
    ...counted("errors", errors),
    ...counted("tried again", retried),
  ];
  return parts.filter((part) => part !== "").join("  ");
}

function counted(name: string, counts: { [kind: string]: number }): string[] {
  const sum = Object.values(counts).reduce((one, other) => one + other, 0);
  return sum === 0 ? [] : [`${name} ${sum}`];
}

/** As in 1:07. */
function clock(seconds: number): string {
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
