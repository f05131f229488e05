import type { machineFacts } from "../machine-facts.ts";
import type { ClusterLivesResult } from "./cluster-lives.ts";
import type { NodeMemoryResult } from "./node-memory.ts";
import type { RedisRecordsResult } from "./redis-records.ts";
import type { RowBytesResult } from "./row-bytes.ts";

export interface ScalingResult {
  date: string;
  machine: ReturnType<typeof machineFacts>;
  /** Load average of the machine before: above a few tenths other work ran beside this, and what is told a second is too low. */
  loadBefore: number;
  redis: RedisRecordsResult | null;
  memory: NodeMemoryResult | null;
  rows: RowBytesResult | null;
  lives: ClusterLivesResult | null;
}

/** What a relay's cost grows by, as Markdown. */
export function scalingReport({ date, machine, loadBefore, redis, memory, rows, lives }: ScalingResult): string {
  const lines = [
    `# What a terminal, a payment and a row take (${date})`,
    "",
    `${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}; load of the machine before: ${loadBefore.toFixed(1)}. ` +
      "`npm --prefix bench run scaling`: bytes and processor time are counted, and hold on a busy machine; commits a second are lower there.",
    "",
  ];
  if (memory !== null) lines.push(...memoryTable(memory));
  if (redis !== null) lines.push(...redisTables(redis));
  if (lives !== null) lines.push(...livesTable(lives));
  if (rows !== null) lines.push(...rowsTable(rows));
  return lines.join("\n");
}

function memoryTable({ session, heap }: NodeMemoryResult): string[] {
  return table("memory of a node", "bytes", [
    [
      `a terminal over STOMP that idles, of ${number(session.sessions)}; the process then has ${megabytes(session.processBytes)}`,
      session.bytes,
    ],
    ...heap.map(({ what, count, bytes }): [string, number] => [`${what}, of ${number(count)}; heap of the engine, collected`, bytes]),
  ]);
}

function redisTables({ records, total, outstanding, presence, commits }: RedisRecordsResult): string[] {
  return [
    ...table(
      "memory of Redis",
      "bytes",
      records.map(({ what, count, bytes }) => [`${what}, the second half of ${number(count)}`, bytes]),
    ),
    `With ${number(total.terminals)} terminals, ${number(total.commands)} ended payments and ${number(total.rows)} rows that wait Redis uses ${megabytes(total.usedBytes)}, and its append-only file has ${megabytes(total.logBytes)}.`,
    `A shard that reads the index of outstanding work costs Redis ${outstanding.redisMicrosPerEntry.toFixed(2)} µs for each entry. A terminal that is seen again costs it ${presence.redisMicros.toFixed(1)} µs and ${presence.logBytes.toFixed(0)} bytes of its file.`,
    "",
    "| lives of payments through the engine over one Redis, each of three commits | commits /s | CPU µs of Redis for a life | runs of its script for a life | bytes of its file for a life |",
    "|---|--:|--:|--:|--:|",
    ...commits.map(
      ({ callers, commitsPerSecond, redisMicrosPerLife, scriptsPerLife, logBytesPerLife }) =>
        `| ${callers} at once | ${number(commitsPerSecond)} | ${redisMicrosPerLife.toFixed(0)} | ${scriptsPerLife.toFixed(2)} | ${number(logBytesPerLife)} |`,
    ),
    "",
  ];
}

function livesTable({ nodes, idle, lives }: ClusterLivesResult): string[] {
  return [
    ...table(`a life by push in a cluster of ${nodes} nodes, at ${number(lives.perSecond)} a second, of ${number(lives.count)}`, "", [
      ["entries of the streams between nodes", lives.streamEntries],
      ["bytes in them", lives.streamBytes],
      ["CPU µs of Redis, beyond what idle nodes take", lives.redisMicros],
      ["commands of Redis, those in scripts too, beyond what idle nodes ask", lives.redisCommands],
      ["bytes of Redis's append-only file", lives.redisLogBytes],
      ["bytes on Kafka's disk", lives.kafkaBytes],
    ]),
    `The same nodes idle: ${number(idle.commandsPerSecond)} commands of Redis a second, ${(idle.redisCpuShare * 100).toFixed(1)}% of a core of Redis.`,
    "",
  ];
}

function rowsTable({ rows, tables, messageBytes }: RowBytesResult): string[] {
  return table(`a result and the end of its command, of ${number(rows)} of one month`, "bytes", [
    ...tables.map(({ table: name, bytes }): [string, number] => [`ClickHouse, merged: \`${name}\``, bytes]),
    ["Kafka: value of its message", messageBytes.value],
    ["Kafka: key of it", messageBytes.key],
  ]);
}

function table(title: string, unit: string, rows: readonly (readonly [string, number])[]): string[] {
  return [`| ${title} | ${unit} |`, "|---|--:|", ...rows.map(([what, value]) => `| ${what} | ${small(value)} |`), ""];
}

function small(value: number): string {
  return value < 10 ? value.toFixed(1) : number(value);
}

function number(value: number): string {
  return Math.round(value).toLocaleString("en");
}

function megabytes(bytes: number): string {
  return `${number(bytes / 1e6)} MB`;
}
