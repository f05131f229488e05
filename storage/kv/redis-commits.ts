import { type Commit, type CommitResult, CommitTooLate, type Operation, StorageUnavailable } from "../../engine/kernel/kv.ts";
import { type Asked, Batches } from "./redis-batches.ts";
import { plain, type RedisConnection } from "./redis-connection.ts";
import { loadScript, runScript } from "./redis-script.ts";

const COMMIT = loadScript("commit");

/** Round trips under way at once: with two, Redis has the next batch when it has synced the last. */
const IN_FLIGHT_MAX = 2;
/** Keys of one batch, and 4 KiB of values count as one: it keeps Redis from other callers for some ms. */
const BATCH_WEIGHT_MAX = 1_500;
const WEIGHT_CHARACTERS = 4_096;
const PENDING_MAX = 20_000;
/** Redis refuses a commit this long before its caller gives up, so that Redis does not execute a commit that the caller has given up. */
const MARGIN_MS = 50;

export interface RedisCommitsOptions {
  connection: RedisConnection;
  waitReplicas: number;
  monotonicMs(): number;
  deadlineMs: number;
  nowMs: (() => number) | null;
  onCommitted(durationMs: number): void;
}

interface EncodedCommit {
  /** As lua/commit.lua takes it, less its deadline. */
  args: (string | number)[];
  /** The caller's time limit, if it is shorter than the usual one. */
  withinMs: number;
  weight: number;
}

/** Runs commits, all of a turn in one run of lua/commit.lua. */
export class RedisCommits {
  readonly #options: RedisCommitsOptions;
  readonly #batches: Batches<EncodedCommit, number>;
  batches = 0;
  lastBatchMs = 0;

  constructor(options: RedisCommitsOptions) {
    this.#options = options;
    this.#batches = new Batches({
      send: (commits) => this.#send(commits),
      ready: () => options.connection.state === "ready",
      monotonicMs: options.monotonicMs,
      deadlineMs: options.deadlineMs,
      weight: ({ weight }) => weight,
      batchWeightMax: BATCH_WEIGHT_MAX,
      inFlightMax: IN_FLIGHT_MAX,
      pendingMax: PENDING_MAX,
    });
  }

  get pending(): number {
    return this.#batches.pending;
  }

  async commit(commit: Commit): Promise<CommitResult> {
    const result = await this.#batches.ask(encode(commit));
    if (result > 0) return { type: "committed", version: result };
    if (result === 0 && commit.withinMs !== undefined) throw new CommitTooLate();
    if (result === 0)
      throw new StorageUnavailable("Redis received the commit after its deadline, or has lost part of its history; nothing was committed");
    return { type: "conflict", key: commit.checks[-result - 1]?.key ?? "" };
  }

  flush(): void {
    this.#batches.flush();
  }

  expire(): void {
    this.#batches.expire();
  }

  rejectWaiting(reason: string): void {
    this.#batches.rejectWaiting(reason);
  }

  close(): Promise<void> {
    return this.#batches.close();
  }

  async #send(commits: readonly Asked<EncodedCommit>[]): Promise<readonly number[]> {
    const { connection, monotonicMs, nowMs, deadlineMs: patienceMs } = this.#options;
    const args: (string | number)[] = [connection.writerField, nowMs?.() ?? "", connection.lostVersion];
    for (const { question, deadlineMs } of commits) {
      const notAfterMs = deadlineMs - Math.max(MARGIN_MS, patienceMs - question.withinMs);
      args.push(connection.clock.atUs(notAfterMs) ?? 0);
      for (const arg of question.args) args.push(arg);
    }
    const sentAtMs = monotonicMs();
    const { epoch } = connection;
    let reply: unknown;
    try {
      reply = await runScript(connection.client, COMMIT, [connection.entriesKey, connection.indexKey], args);
      if (this.#options.waitReplicas > 0) await this.#waitForReplicas(epoch);
    } catch (error) {
      throw new StorageUnavailable("it is not known whether Redis executed the commit", { cause: plain(error) });
    }
    const cameAtMs = monotonicMs();
    const [nowUs, lostVersion, ...results] = numbersOf(reply);
    if (nowUs === undefined || lostVersion === undefined) throw new Error("lua/commit.lua answers with Redis's time and what was lost");
    connection.heardOfLoss(lostVersion);
    connection.clock.saw(nowUs, sentAtMs, cameAtMs);
    this.batches++;
    this.lastBatchMs = cameAtMs - sentAtMs;
    this.#options.onCommitted(this.lastBatchMs);
    // Checks alone answer with an older version.
    let version = 0;
    for (const [index, result] of results.entries()) {
      if (result > version && commits[index]?.question.args[1] !== 0) version = result;
    }
    connection.acknowledged(version);
    return results;
  }

  async #waitForReplicas(epoch: number): Promise<void> {
    const { connection, waitReplicas, deadlineMs } = this.#options;
    // WAITAOF speaks of its own connection's writes.
    if (epoch !== connection.epoch || connection.state !== "ready") throw new Error("the connection was lost");
    const answer = numbersOf(await connection.client.call("waitaof", [1, waitReplicas, Math.ceil(deadlineMs / 2)]));
    if ((answer[0] ?? 0) < 1 || (answer[1] ?? 0) < waitReplicas)
      throw new Error(`${answer[1] ?? 0} replica(s) have it, not ${waitReplicas}`);
  }
}

function encode({ checks, operations, withinMs = Number.POSITIVE_INFINITY }: Commit): EncodedCommit {
  const last = operations.length > 1 ? lastOfEachKey(operations) : operations;
  const puts: (string | number)[] = [];
  const deletes: string[] = [];
  let characters = 0;
  for (const operation of last) {
    if (operation.type === "put") {
      puts.push(operation.key, operation.expiresAtMs ?? 0, operation.value);
      characters += operation.value.length;
    } else {
      deletes.push(operation.key);
    }
  }
  const args: (string | number)[] = [checks.length, puts.length / 3, deletes.length];
  for (const { key, version } of checks) args.push(key, version);
  for (const put of puts) args.push(put);
  for (const key of deletes) args.push(key);
  return { args, withinMs, weight: 1 + checks.length + last.length + Math.floor(characters / WEIGHT_CHARACTERS) };
}

function lastOfEachKey(operations: readonly Operation[]): readonly Operation[] {
  const byKey = new Map<string, Operation>();
  for (const operation of operations) byKey.set(operation.key, operation);
  return byKey.size === operations.length ? operations : [...byKey.values()];
}

function numbersOf(reply: unknown): number[] {
  if (!Array.isArray(reply)) throw new Error("Redis returned something other than numbers");
  return reply.map((value) => {
    if (typeof value !== "number") throw new Error("Redis returned something other than numbers");
    return value;
  });
}
