import { parseArgs } from "node:util";

export interface BenchOptions {
  /** Random uuids that the store holds before anything is measured. */
  stored: number;
  rounds: number;
  /** Length of one measurement. */
  seconds: number;
  micro: boolean;
  load: boolean;
  /** Nodes over Redis, Kafka and ClickHouse instead of a node by itself. */
  cluster: boolean;
  /** Of a cluster only the feed, once; nothing is written. */
  onlyFeed: boolean;
  /** Rows that the cluster's feed is measured with. */
  feedRows: number;
  /** A folder whose filled store is kept and used again; null makes one that goes away. */
  storeDirectory: string | null;
}

export const USAGE = `npm run bench -- [options]

  --quick            one short round with 50,000 stored uuids, under a minute
  --stored N         random uuids stored before (1,000,000)
  --rounds N         rounds, each with a fresh relay on a copy of the store (4)
  --seconds N        length of each measurement (3)
  --no-micro         only the load
  --only-micro       only the micro benchmarks
  --cluster          three nodes over Redis, Kafka and ClickHouse, which it starts, against a node by itself; nothing else
  --only-feed        only the feed of a cluster, told and not written
  --feed-rows N      rows that the feed is measured with (300,000)
  --store FOLDER     fill this folder once and use it again`;

/** Reads the command line. Throws with the reason. */
export function readOptions(args: string[]): BenchOptions | "help" {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: "boolean", default: false },
      stored: { type: "string" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      "no-micro": { type: "boolean", default: false },
      "only-micro": { type: "boolean", default: false },
      store: { type: "string" },
      cluster: { type: "boolean", default: false },
      "only-feed": { type: "boolean", default: false },
      "feed-rows": { type: "string" },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  if (values.help) return "help";
  const { quick } = values;
  return {
    stored: number("stored", values.stored, quick ? 50_000 : 1_000_000, 1, 20_000_000),
    rounds: number("rounds", values.rounds, quick ? 1 : 4, 1, 100),
    seconds: number("seconds", values.seconds, quick ? 1.5 : 3, 0.2, 20),
    micro: !values["no-micro"],
    load: !values["only-micro"],
    cluster: values.cluster,
    onlyFeed: values["only-feed"],
    feedRows: number("feed-rows", values["feed-rows"], quick ? 40_000 : 300_000, 1_000, 10_000_000),
    storeDirectory: values.store ?? null,
  };
}

function number(name: string, text: string | undefined, otherwise: number, least: number, most: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text.replaceAll("_", ""));
  if (!(value >= least && value <= most)) throw new Error(`--${name} is a number from ${least} to ${most}`);
  return value;
}
