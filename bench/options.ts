import { InvalidArgumentError } from "commander";
import { commandLine } from "../infra/command-line.ts";
import { numberBetween } from "./argument.ts";
import { PEERS, type PeerName } from "./peers/names.ts";

export interface BenchOptions {
  /** Random uuids that the store holds before anything is measured. */
  stored: number;
  rounds: number;
  /** Length of one measurement. */
  seconds: number;
  micro: boolean;
  load: boolean;
  /** The relay against what people would build instead, over a payment's whole life. */
  compare: boolean;
  peers: readonly PeerName[];
  /** Only whether each does the job, and syncs before it answers; nothing is measured. */
  checkPeers: boolean;
  /** Nodes over Redis, Kafka and ClickHouse instead of a node by itself. */
  cluster: boolean;
  /** Of a cluster only the feed. */
  onlyFeed: boolean;
  /** How often, where it is the feed alone. */
  feedRuns: number;
  /** Rows that the cluster's feed is measured with. */
  feedRows: number;
  /** A folder whose filled store is kept and used again; null makes one that goes away. */
  storeDirectory: string | null;
}

const USUAL_PEERS: readonly PeerName[] = ["fastify", "fastify-rows", "fastify-redis"];

/** Reads the command line; ends the process with a message where it is wrong, or asks for help. */
export function readOptions(argv: readonly string[]): BenchOptions {
  const command = commandLine("bench")
    .description("The relay against raw uWebSockets.js in one run; see bench/README.md.")
    .option("--quick", "one short round with 50,000 stored uuids, about a minute", false)
    .option("--stored <n>", "random uuids stored before (1,000,000)", numberBetween(1, 20_000_000))
    .option("--rounds <n>", "rounds, each with a fresh relay on a copy of the store (4)", numberBetween(1, 100))
    .option("--seconds <n>", "length of each measurement (3)", numberBetween(0.2, 20, false))
    .option("--no-micro", "only the load")
    .option("--only-micro", "only the micro benchmarks", false)
    .option("--peers <names>", `what the relay is compared with, of ${PEERS.join(",")} (${USUAL_PEERS.join(",")})`, peerNames)
    .option("--spring", "with Spring Boot as well, which warms up for most of a minute", false)
    .option("--no-peers", "without what people would build instead")
    .option("--only-peers", "only that", false)
    .option("--check-peers", "only whether each of them does the job, and syncs before it answers; nothing is measured", false)
    .option("--cluster", "three nodes over Redis, Kafka and ClickHouse, which it starts, against a node by itself; nothing else", false)
    .option("--only-feed", "only the feed of a cluster, --rounds times (3)", false)
    .option("--feed-rows <n>", "rows that the feed is measured with (300,000)", numberBetween(1_000, 10_000_000))
    .option("--store <folder>", "fill this folder once and use it again")
    .parse(argv);
  const values = command.opts<Flags>();
  if (values.onlyPeers && values.peers === false) command.error("error: --only-peers and --no-peers leave nothing to measure");
  const { quick } = values;
  return {
    stored: values.stored ?? (quick ? 50_000 : 1_000_000),
    rounds: values.rounds ?? (quick ? 1 : 4),
    seconds: values.seconds ?? (quick ? 1.5 : 3),
    micro: values.micro && !values.onlyPeers,
    load: !values.onlyMicro && !values.onlyPeers,
    compare: !values.onlyMicro && values.peers !== false,
    peers: peersOf(values),
    checkPeers: values.checkPeers,
    cluster: values.cluster,
    onlyFeed: values.onlyFeed,
    feedRuns: values.rounds ?? (quick ? 1 : 3),
    feedRows: values.feedRows ?? (quick ? 40_000 : 300_000),
    storeDirectory: values.store ?? null,
  };
}

interface Flags {
  quick: boolean;
  stored?: number;
  rounds?: number;
  seconds?: number;
  micro: boolean;
  onlyMicro: boolean;
  peers?: readonly PeerName[] | boolean;
  spring: boolean;
  onlyPeers: boolean;
  checkPeers: boolean;
  cluster: boolean;
  onlyFeed: boolean;
  feedRows?: number;
  store?: string;
}

function peerNames(text: string): PeerName[] {
  const names = text.split(",");
  const known = PEERS.filter((name) => names.includes(name));
  if (known.length === names.length) return known;
  throw new InvalidArgumentError(`Names of ${PEERS.join(", ")}, each once, with commas between them.`);
}

function peersOf({ peers, spring }: Flags): PeerName[] {
  const named = Array.isArray(peers) ? peers : USUAL_PEERS;
  return PEERS.filter((name) => named.includes(name) || (spring && name === "spring"));
}
