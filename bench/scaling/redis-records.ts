import { outboxOperation } from "../../engine/payments/outbox.ts";
import { createPresenceStore } from "../../engine/sessions/presence-store.ts";
import { createTerminalStore, type TerminalChange } from "../../engine/terminals/terminal-store.ts";
import { openRedisKv } from "../../storage/kv/redis.ts";
import { resultRow } from "../cluster/result-row.ts";
import { engineOver, terminalIds } from "../engine/payments.ts";
import { endedPayment } from "../load/stored-uuids.ts";
import { untilLogIsWritten } from "../peers/redis-store.ts";
import { type MeasuredRedis, redisUse, startMeasuredRedis } from "./redis-server.ts";

const KEY_PREFIX = "{relay}:";
const RETENTION_MS = 400 * 86_400_000;
const AT_ONCE = 500;
const NOTHING = { decidedBy: null, terminal: null, claims: [], commands: [], rows: [], attention: [], settled: [] } as const;

/** Callers at once: few, as at a quiet node, and as many as one shard has under load. */
const CALLERS = [1, 16, 256];
const WARM_UP_SHARE = 0.25;

/** Terminals with something to do, how many are read at once (as engine/routing/outstanding-work.ts does), and how often all of them are. */
const OUTSTANDING = 10_000;
const OUTSTANDING_PAGE = 1_000;
const LOOKS = 20;

/** As engine/sessions/presence-flush.ts stores them. */
const PRESENCES_A_COMMIT = 250;
const PRESENCES = 50_000;
const DEVICE = { userAgent: "terminal/3.1.0", ipAddress: "10.1.2.3", appVersion: "3.1.0", deviceModel: "A920" };

export interface RedisRecordsResult {
  /** Bytes of Redis's memory for each entry, between one count of entries and twice that. */
  records: { what: string; count: number; bytes: number }[];
  /** With all of it in. */
  total: { terminals: number; commands: number; rows: number; usedBytes: number; logBytes: number };
  /** The index of terminals with something to do, which every shard reads whole about once a second. */
  outstanding: { entries: number; redisMicrosPerEntry: number };
  /** Terminals that are seen again, of whom that is stored at most every ten seconds, some hundred in a commit. */
  presence: { writes: number; redisMicros: number; logBytes: number };
  commits: CommitRate[];
}

/** Whole lives of payments (paid, polled for, result stored: three commits) through the engine over this Redis. */
export interface CommitRate {
  callers: number;
  lives: number;
  commitsPerSecond: number;
  /** Redis's own time on a core for a life, which other work on the machine changes little. */
  redisMicrosPerLife: number;
  /** Runs of lua/commit.lua for a life: below 3, since commits of a turn share one. */
  scriptsPerLife: number;
  logBytesPerLife: number;
}

/** Fills a Redis of its own by the stores of the engine. `count` terminals, four times as many ended payments. */
export async function measureRedisRecords(count: number, lives: number, note: (text: string) => void): Promise<RedisRecordsResult> {
  const redis = await startMeasuredRedis();
  const kv = await openRedisKv({ url: redis.url, keyPrefix: KEY_PREFIX, refuseProblems: true });
  try {
    const nowMs = Date.now();
    const store = createTerminalStore({ kv, nowMs: () => nowMs, retentionMs: RETENTION_MS, writer: "bench" });
    const presences = createPresenceStore(kv);
    const ids = terminalIds(count);
    const commit = async (change: Partial<TerminalChange> & Pick<TerminalChange, "terminalId">) => {
      const outcome = await store.commit({ ...NOTHING, atMs: nowMs, ...change });
      if (outcome.type !== "committed") throw new Error("the store was not empty");
    };
    const terminal = (n: number) => {
      const terminalId = ids[n] ?? "";
      const latest = [{ sender: "partner:1", uuid: endedPayment(n, nowMs).uuid, answered: true }];
      const record = { terminalId, queue: [], sent: [], latest };
      return commit({ terminalId, terminal: { record, version: 0, workBefore: "idle" } });
    };
    const presenceOf = (terminalId: string) => ({ schema: 1, terminalId, lastSeenMs: nowMs, device: DEVICE }) as const;
    const seen = (n: number) => presences.save([presenceOf(ids[n] ?? "")]);
    const ended = (n: number) => commit({ terminalId: "", commands: [{ record: endedPayment(n, nowMs), version: 0 }] });
    const row = async (n: number) => {
      await kv.commit({
        checks: [],
        operations: [outboxOperation(resultRow(n, { sender: "partner:1", nowMs }), nowMs, `bench-${n}`)],
      });
    };

    async function measureOutstanding(): Promise<RedisRecordsResult["outstanding"]> {
      const operations = ids.slice(0, OUTSTANDING).map((id) => ({ type: "put", key: `q/${id}`, value: "1" }) as const);
      for (let from = 0; from < operations.length; from += AT_ONCE) {
        await kv.commit({ checks: [], operations: operations.slice(from, from + AT_ONCE) });
      }
      const before = await redisUse(redis.client);
      let entries = 0;
      for (let look = 0; look < LOOKS; look += 1) {
        for (let after: string | undefined = ""; after !== undefined; ) {
          const page = await store.pageOutstanding(after, OUTSTANDING_PAGE);
          entries += page.length;
          after = page.at(-1)?.terminalId;
        }
      }
      return { entries, redisMicrosPerEntry: ((await redisUse(redis.client)).cpuMicros - before.cpuMicros) / entries };
    }

    async function measurePresence(): Promise<RedisRecordsResult["presence"]> {
      const before = await redisUse(redis.client);
      const writes = Math.min(count, PRESENCES);
      for (let from = 0; from < writes; from += PRESENCES_A_COMMIT) {
        await presences.save(ids.slice(from, Math.min(from + PRESENCES_A_COMMIT, writes)).map(presenceOf));
      }
      const after = await redisUse(redis.client);
      return {
        writes,
        redisMicros: (after.cpuMicros - before.cpuMicros) / writes,
        logBytes: (after.logBytes - before.logBytes) / writes,
      };
    }

    const records: RedisRecordsResult["records"] = [];
    async function fill(what: string, most: number, write: (n: number) => Promise<void>): Promise<void> {
      await all(0, most / 2, write);
      const half = await redisUse(redis.client);
      await all(most / 2, most, write);
      const bytes = ((await redisUse(redis.client)).usedBytes - half.usedBytes) / (most / 2);
      records.push({ what, count: most, bytes });
      note(`${what}: ${bytes.toFixed(0)} bytes in Redis`);
    }
    await fill("a terminal's record", count, terminal);
    await fill("a terminal's presence", count, seen);
    await fill("an ended payment", 4 * count, ended);
    await fill("a row that waits for ClickHouse", count, row);
    // As it does by itself once the file has doubled.
    await redis.client.bgrewriteaof();
    await untilLogIsWritten(redis.client);
    const { usedBytes, logBytes } = await redisUse(redis.client);
    const total = { terminals: count, commands: 4 * count, rows: count, usedBytes, logBytes };

    const presence = await measurePresence();
    note(`a terminal that is seen again: ${presence.redisMicros.toFixed(1)} µs of Redis`);
    const outstanding = await measureOutstanding();
    note(`the index of outstanding work: ${outstanding.redisMicrosPerEntry.toFixed(2)} µs of Redis for an entry that is read`);

    const commits: CommitRate[] = [];
    for (const callers of CALLERS) {
      const rate = await measureLives(redis, callers, callers === 1 ? Math.ceil(lives / 20) : lives);
      commits.push(rate);
      note(
        `${callers} callers: ${rate.commitsPerSecond.toFixed(0)} commits/s, ${rate.redisMicrosPerLife.toFixed(0)} µs of Redis for a life`,
      );
    }
    return { records, total, outstanding, presence, commits };
  } finally {
    await kv.close();
    await redis.stop();
  }
}

async function measureLives(redis: MeasuredRedis, callers: number, lives: number): Promise<CommitRate> {
  const kv = await openRedisKv({ url: redis.url, keyPrefix: `{lives-${callers}}:`, refuseProblems: true });
  const engine = engineOver(kv);
  const ids = terminalIds(callers);
  async function live(count: number): Promise<void> {
    await Promise.all(
      ids.map(async (id) => {
        for (let n = 0; n < count / callers; n += 1) await engine.wholeLife(id);
      }),
    );
  }
  try {
    await live(lives * WARM_UP_SHARE);
    const before = await redisUse(redis.client);
    const startedMs = performance.now();
    await live(lives);
    const seconds = (performance.now() - startedMs) / 1_000;
    const after = await redisUse(redis.client);
    const done = Math.ceil(lives / callers) * callers;
    return {
      callers,
      lives: done,
      commitsPerSecond: (3 * done) / seconds,
      redisMicrosPerLife: (after.cpuMicros - before.cpuMicros) / done,
      scriptsPerLife: (after.scripts - before.scripts) / done,
      logBytesPerLife: (after.logBytes - before.logBytes) / done,
    };
  } finally {
    await engine.close();
  }
}

/** Runs `write` for each number from `from` up to `to`, some at once. */
async function all(from: number, to: number, write: (n: number) => Promise<void>): Promise<void> {
  let next = from;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = next++; n < to; n = next++) await write(n);
    }),
  );
}
