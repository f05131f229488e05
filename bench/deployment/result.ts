import type { Allowed } from "./deployment.ts";
import type { Invariant, Ledger } from "./ledger.ts";
import type { Interval, Metric, WholeLatency } from "./measurements.ts";
import type { LoadOptions } from "./options.ts";
import type { RolloutResult } from "./rollout.ts";

/** A run, as it is written to JSON and shown on its page. It holds neither a key nor a secret. */
export interface LoadResult {
  /** With which its uuids begin. */
  prefix: string;
  /** ISO 8601 UTC. */
  startedAt: string;
  /** From the first payment that was due to the last. */
  seconds: number;
  /** Whether it was stopped before its end. */
  stopped: boolean;
  options: Omit<LoadOptions, "key" | "terminalSecret" | "administrator" | "outDirectory">;
  allowed: Allowed;
  payments: ReturnType<Ledger["counts"]> & {
    due: number;
    /** By 429, where that is what is tried. */
    refused: number;
    /** Commands of others that terminals of the run got, and declined. */
    foreign: number;
  };
  /** How often all WebSockets were cut. */
  storms: number;
  /** Of a package; null in other scenarios. */
  rollout: RolloutResult | null;
  latencies: { [metric in Metric]?: WholeLatency };
  /** What clients are left with, and what they tried again, by kind. */
  errors: { [kind: string]: number };
  retried: { [kind: string]: number };
  invariants: readonly Invariant[];
  generator: {
    node: string;
    /** Of the time its thread was busy; near 1 latencies are its own. */
    busyShare: number;
  };
  intervalSeconds: number;
  intervals: readonly Interval[];
}

/** How much a generator may be busy before its latencies say more of itself than of the relay. */
const BUSY_SHARE_MAX = 0.85;
const LATE_P99_MS_MAX = 20;

export function isFine({ errors, invariants }: Pick<LoadResult, "errors" | "invariants">): boolean {
  return Object.keys(errors).length === 0 && invariants.every(({ holds }) => holds);
}

/** What a reader has to know before he believes the latencies; null where there is nothing. */
export function doubtOf({ generator, latencies }: Pick<LoadResult, "generator" | "latencies">): string | null {
  const lateMs = latencies.late?.p99 ?? 0;
  if (generator.busyShare <= BUSY_SHARE_MAX && lateMs <= LATE_P99_MS_MAX) return null;
  return `The generator was busy for ${Math.round(generator.busyShare * 100)}% of the time and late by ${lateMs} ms (p99): latencies are in part its own. Give it a machine of its own, or less to do.`;
}

/** What is printed at the end. */
export function summaryOf(result: LoadResult): string {
  const { prefix, seconds, stopped, payments, rollout, latencies, errors, retried, invariants } = result;
  const rows = Object.entries(latencies).map(([metric, { count, p50, p90, p99, p999, max }]) =>
    [metric.padEnd(10), ...[count, p50, p90, p99, p999, max].map((value) => String(value).padStart(11))].join(""),
  );
  const counted = (name: string, counts: { [kind: string]: number }) =>
    Object.entries(counts).map(([kind, count]) => `${name}: ${kind} (${count})`);
  const doubt = doubtOf(result);
  return [
    `${prefix}: ${payments.due} due in ${seconds.toFixed(1)} s${stopped ? ", stopped early" : ""}; ${payments.accepted} accepted, ${payments.found} results found` +
      (payments.refused > 0 ? `, ${payments.refused} refused by 429` : ""),
    ...(rollout === null
      ? []
      : [
          `version ${rollout.versionCode}: deployed to ${rollout.deployed} terminals, told to ${rollout.told} and notices to ${rollout.noticed}, downloaded by ${rollout.downloaded} (${mebibytes(rollout.bytesReceived)} MiB), ` +
            `installed by ${rollout.installed}${rollout.seconds === null ? "" : ` in ${rollout.seconds.toFixed(1)} s`}, failed at ${rollout.failed}`,
        ]),
    "",
    ["ms".padEnd(10), ...["count", "p50", "p90", "p99", "p99.9", "max"].map((name) => name.padStart(11))].join(""),
    ...rows,
    "",
    ...counted("error", errors),
    ...counted("tried again", retried),
    ...invariants.map(
      ({ name, holds, checked, broken, examples }) =>
        `${holds ? "holds" : "BROKEN"}: ${name} (${checked} checked${holds ? "" : `, ${broken} broken: ${examples.join(", ")}`})`,
    ),
    ...(doubt === null ? [] : [doubt]),
  ].join("\n");
}

export function mebibytes(bytes: number): string {
  return (bytes / 1_048_576).toFixed(1);
}
