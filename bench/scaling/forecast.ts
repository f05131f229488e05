import type { ScalingResult } from "./report.ts";

/** What is assumed of an installation; infra/docs/scaling.md says why. */
export const ASSUMED = {
  paymentsADay: 20,
  /** Of a day's payments, within its busiest hour. */
  busiestHourShare: 0.12,
  /** From acceptance to the result: the customer has to present a card. */
  lifeSeconds: 30,
  /** A terminal without heart-beats answers a ping so often, and is stored as seen then. */
  seenEverySeconds: 45,
  shardsANode: 3,
  sessionsAShard: 15_000,
  /** Commits of a life by poll: accepted, taken, its result. */
  commitsALife: 3,
  /** A shard reads the index of outstanding work so often where it is long. */
  sweepsASecond: 1,
  partitions: 12,
} as const;

export interface Forecast {
  terminals: number;
  /** At the busiest hour. */
  paymentsPerSecond: number;
  /** One more than the sessions need, so that one may be away. */
  nodes: number;
  /** By how long an ended payment is kept, bytes. */
  redisBytes(retentionDays: number): number;
  commitsPerSecond: number;
  presencesPerSecond: number;
  /** Of the one core on which a Redis runs its scripts; above 1 it is not possible. */
  redisCore: {
    /** Where 16 commits come at once at each shard, and where each comes alone. */
    payments: { together: number; alone: number };
    presences: number;
    sweeps: number;
  };
  rowsADay: number;
  clickhouseBytesAYear: number;
  kafkaBytesADay: number;
}

export type Figures = Pick<ScalingResult, "redis" | "rows">;

/** What so many terminals take, by what was measured of one. Throws where a part was not measured. */
export function forecast(terminals: number, { redis, rows }: Figures): Forecast {
  if (redis === null || rows === null) throw new Error("the parts redis and rows have to be measured");
  const bytesOf = (what: string) => {
    const found = redis.records.find((record) => record.what === what);
    if (found === undefined) throw new Error(`${what} was not measured`);
    return found.bytes;
  };
  const microsOfLife = (asked: number) => {
    const found = redis.commits.find(({ callers }) => callers === asked);
    if (found === undefined) throw new Error(`lives of ${asked} callers were not measured`);
    return found.redisMicrosPerLife;
  };
  const paymentsADay = terminals * ASSUMED.paymentsADay;
  const paymentsPerSecond = (paymentsADay * ASSUMED.busiestHourShare) / 3_600;
  const nodes = Math.max(2, Math.ceil(terminals / (ASSUMED.sessionsAShard * ASSUMED.shardsANode)) + 1);
  const presencesPerSecond = terminals / ASSUMED.seenEverySeconds;
  const outstanding = paymentsPerSecond * ASSUMED.lifeSeconds;
  const readPerSecond = outstanding * nodes * ASSUMED.shardsANode * ASSUMED.sweepsASecond;
  const terminalBytes = bytesOf("a terminal's record") + bytesOf("a terminal's presence");
  return {
    terminals,
    paymentsPerSecond,
    nodes,
    redisBytes: (days) => terminals * terminalBytes + paymentsADay * days * bytesOf("an ended payment"),
    commitsPerSecond: paymentsPerSecond * ASSUMED.commitsALife,
    presencesPerSecond,
    redisCore: {
      payments: { together: (paymentsPerSecond * microsOfLife(16)) / 1e6, alone: (paymentsPerSecond * microsOfLife(1)) / 1e6 },
      presences: (presencesPerSecond * redis.presence.redisMicros) / 1e6,
      sweeps: (readPerSecond * redis.outstanding.redisMicrosPerEntry) / 1e6,
    },
    rowsADay: paymentsADay * rows.tables.length,
    clickhouseBytesAYear: paymentsADay * 365 * rows.tables.reduce((sum, { bytes }) => sum + bytes, 0),
    kafkaBytesADay: paymentsADay * (rows.messageBytes.value + rows.messageBytes.key),
  };
}

/** Rows of Markdown tables, without what breaks first. */
export function forecastRow(result: Forecast): string {
  const { redisCore } = result;
  const share = (value: number) => `${significant(value * 100)}%`;
  return [
    count(result.terminals),
    significant(result.paymentsPerSecond),
    String(result.nodes),
    bytes(result.redisBytes(400)),
    bytes(result.redisBytes(30)),
    significant(result.commitsPerSecond),
    significant(result.presencesPerSecond),
    `${share(redisCore.payments.together)} to ${share(redisCore.payments.alone)}`,
    share(redisCore.presences),
    share(redisCore.sweeps),
    String(ASSUMED.partitions),
    bytes(result.kafkaBytesADay),
    count(result.rowsADay),
    bytes(result.clickhouseBytesAYear),
  ].join(" | ");
}

function count(value: number): string {
  return value >= 1e6 ? `${value / 1e6}M` : Math.round(value).toLocaleString("en");
}

function significant(value: number): string {
  return Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 3 });
}

function bytes(value: number): string {
  for (const [unit, size] of [
    ["PB", 1e15],
    ["TB", 1e12],
    ["GB", 1e9],
  ] as const)
    if (value >= size) return `${significant(value / size)} ${unit}`;
  return `${significant(value / 1e6)} MB`;
}
