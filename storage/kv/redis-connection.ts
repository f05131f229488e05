import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { StorageUnavailable } from "../../engine/kernel/kv.ts";
import { createRedis } from "../redis/connect.ts";
import { RedisClock } from "./redis-clock.ts";
import { RedisRefused } from "./redis-refused.ts";
import { loadScript, runScript } from "./redis-script.ts";
import { type RedisServer, readRedisServer } from "./redis-settings.ts";

const HISTORY = loadScript("history");
const LOSE = loadScript("lose");

/** Interval at which a refused Redis is checked again. */
const RECHECK_MS = 2_000;
/** A connection that is not made within this time is said to be waited for. */
const WAITING_TOLD_MS = 2_000;

/** What Redis says to a wrong or missing password, or a user without rights: waiting changes nothing. */
const LOCKED_OUT = /\b(?:WRONGPASS|NOAUTH|NOPERM)\b/;

/** Whether Redis has refused the login, by what it said. */
export function isLockedOut(reason: string): boolean {
  return LOCKED_OUT.test(reason);
}

/** Acknowledged commits may be gone: another server took over without them, or an older copy of the data came back. */
export interface HistoryLost {
  /** The replication id before and now. */
  before: string;
  now: string;
  /** True when a commit that was acknowledged to this very store is known to be gone; false when it cannot be told. */
  certain: boolean;
  /** As `lostVersion` of the store from now on. A later loss has a greater one. */
  lostVersion: number;
}

export interface RedisConnectionOptions {
  url: string;
  keyPrefix: string;
  waitReplicas: number;
  refuseProblems: boolean;
  deadlineMs: number;
  monotonicMs(): number;
  onFailure(error: unknown): void;
  /** It is still opened, longer than usual; once, with the reason as far as it is known. */
  onWaiting(reason: string | null): void;
  onProblems(problems: readonly string[]): void;
  onHistoryLost(lost: HistoryLost): void;
  /** The connection can be used (again). */
  onReady(): void;
  /** Redis can be reached but must not be used. */
  onRefused(): void;
}

/**
 * One connection, which reconnects by itself. It never sends a command twice: commands in progress when the connection breaks are rejected,
 * and Redis drops the commands left in the old connection before the new one is used.
 */
export class RedisConnection {
  readonly client: Redis;
  readonly clock = new RedisClock();
  readonly entriesKey: string;
  readonly indexKey: string;
  /** The field that holds the version of this store's last commit. */
  readonly writerField = `\u{1}w:${randomBytes(8).toString("hex")}`;
  readonly #options: RedisConnectionOptions;
  #state: "connecting" | "ready" | "refused" | "closed" = "connecting";
  #epoch = 0;
  #problems: readonly string[] = [];
  #server: (RedisServer & { clientId: string }) | null = null;
  /** The replication id of the last server that was used. */
  #history: string | null = null;
  #lostVersion = 0;
  #acknowledgedVersion = 0;
  #recheck: NodeJS.Timeout | null = null;
  #lastFailure: string | null = null;
  #settled: ((error: Error | null) => void)[] = [];

  constructor(options: RedisConnectionOptions) {
    this.#options = options;
    this.entriesKey = `${options.keyPrefix}entries`;
    this.indexKey = `${options.keyPrefix}index`;
    this.client = createRedis(options.url, {
      lazyConnect: true,
      // A command in progress may have been executed: the caller gets an error and reads again. If it were sent again, it could be executed
      // twice.
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      enableOfflineQueue: false,
      connectTimeout: options.deadlineMs,
      // A connection without replies for this long is closed.
      socketTimeout: options.deadlineMs,
      connectionName: "terminal-relay-kv",
    });
    this.client.on("error", (error: unknown) => this.#failed(error));
    this.client.on("close", () => this.#lost());
    this.client.on("ready", () => void this.#check());
  }

  get state(): "connecting" | "ready" | "refused" | "closed" {
    return this.#state;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Entries with this version or an earlier one were written before Redis lost part of its history; 0 if it never has. */
  get lostVersion(): number {
    return this.#lostVersion;
  }

  /** Counts connections: what is the same before and after was said on one connection. */
  get epoch(): number {
    return this.#epoch;
  }

  /**
   * Resolves when it can be used. Rejects with RedisRefused, at once with StorageUnavailable if Redis refuses the login, or so after `timeoutMs`. It goes on
   * trying until closed.
   */
  open(timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const told = setTimeout(() => this.#options.onWaiting(this.#reason()), WAITING_TOLD_MS);
      const timer = setTimeout(() => {
        const reason = this.#reason();
        settle(new StorageUnavailable(`Redis did not answer in ${timeoutMs} ms${reason === null ? "" : ` (${reason})`}`));
      }, timeoutMs);
      const settle = (error: Error | null): void => {
        clearTimeout(told);
        clearTimeout(timer);
        if (error === null) resolve();
        else reject(error);
      };
      this.#settled.push(settle);
      // Failures come as events, and it is tried again.
      this.client.connect().catch(() => undefined);
    });
  }

  close(): void {
    this.#state = "closed";
    if (this.#recheck !== null) clearTimeout(this.#recheck);
    this.client.disconnect();
  }

  /** Remembers what Redis has acknowledged to this store. */
  acknowledged(version: number): void {
    if (version > this.#acknowledgedVersion) this.#acknowledgedVersion = version;
  }

  /** Records a loss that another store has found and this one cannot detect. */
  heardOfLoss(lostVersion: number): void {
    if (lostVersion <= this.#lostVersion) return;
    this.#lostVersion = lostVersion;
    this.#options.onHistoryLost({ before: this.#history ?? "", now: this.#history ?? "", certain: false, lostVersion });
  }

  /** Also detects a loss. A read that follows other clients' writes is answered after they are synced, like the writes themselves. */
  async lastVersion(): Promise<number> {
    const [last, mark] = await this.client.hmget(this.entriesKey, "\u{1}last", "\u{1}lost");
    this.heardOfLoss(versionOf(mark));
    return Number(last ?? 0);
  }

  /**
   * The last version that the store had when its last loss happened, which may be earlier than `lostVersion`: other stores may have made
   * commits before the loss was found.
   */
  async lostFrom(): Promise<number> {
    const [began, mark] = await this.client.hmget(this.entriesKey, "\u{1}began", "\u{1}lost");
    const isOfOneHistory = began != null && mark != null && historyOf(began) === historyOf(mark);
    return versionOf(isOfOneHistory ? began : mark);
  }

  /** The caller knows about the loss, so `onHistoryLost` is not called. */
  async lose(lostVersion: number, aboveVersion: number): Promise<void> {
    this.#lostVersion = Number(await runScript(this.client, LOSE, [this.entriesKey], [lostVersion, aboveVersion]));
  }

  #failed(error: unknown): void {
    const failure = plain(error);
    this.#lastFailure = failure.message;
    this.#options.onFailure(failure);
    if (!isLockedOut(failure.message)) return;
    for (const settle of this.#settled.splice(0)) settle(new StorageUnavailable(`Redis refuses the login (${failure.message})`));
  }

  /** Why it cannot be used yet. A Redis that loads its data takes connections, and neither fails nor answers. */
  #reason(): string | null {
    return this.client.status === "connect" ? "it takes connections, but still loads its data or stands still" : this.#lastFailure;
  }

  #lost(): void {
    if (this.#state === "closed") return;
    this.#state = "connecting";
    if (this.#recheck !== null) clearTimeout(this.#recheck);
    this.#recheck = null;
  }

  async #check(): Promise<void> {
    this.#epoch++;
    const epoch = this.#epoch;
    try {
      const server = await readRedisServer(this.client, this.#options.waitReplicas);
      const clientId = String(await this.client.client("ID"));
      await this.#fence(server);
      await this.#readClock();
      if (epoch !== this.#epoch || this.#state === "closed") return;
      await this.#compareHistory(server);
      if (epoch !== this.#epoch) return;
      this.#server = { ...server, clientId };
      this.#checkSettings(server.problems);
    } catch (error) {
      this.#failed(error);
      if (epoch === this.#epoch && this.#state !== "closed") this.client.disconnect(true);
    }
  }

  #checkSettings(problems: readonly string[]): void {
    if (this.#state === "closed") return;
    if (problems.length > 0 || this.#problems.length > 0) this.#options.onProblems(problems);
    this.#problems = problems;
    const refused = problems.length > 0 && this.#options.refuseProblems;
    this.#state = refused ? "refused" : "ready";
    if (refused) {
      // By a new connection: the address may lead to another server then.
      this.#recheck = setTimeout(() => this.client.disconnect(true), RECHECK_MS).unref();
      this.#options.onRefused();
    } else {
      this.#options.onReady();
    }
    for (const settle of this.#settled.splice(0)) settle(refused ? new RedisRefused(problems) : null);
  }

  /** Has Redis close the previous connection, so that no command in its buffers is executed after the reads that follow. */
  async #fence({ runId }: RedisServer): Promise<void> {
    const former = this.#server;
    // After a restart the number may be someone else's.
    if (former === null || former.runId !== runId || former.clientId === String(await this.client.client("ID"))) return;
    // Not allowed, or already closed: the commits' own deadlines still apply.
    await this.client.client("KILL", "ID", former.clientId).catch(() => undefined);
  }

  async #readClock(): Promise<void> {
    const sentAtMs = this.#options.monotonicMs();
    const [seconds, microseconds] = await this.client.time();
    this.clock.saw(Number(seconds) * 1_000_000 + Number(microseconds), sentAtMs, this.#options.monotonicMs());
  }

  /**
   * A replication id changes with every start, and under `appendfsync always` a start loses nothing. Commits may be lost if a replica was
   * promoted (it has the former id), or if the data is older: our mark of the history or of our last commit is missing.
   */
  async #compareHistory({ replicationId, formerReplicationId, problems }: RedisServer): Promise<void> {
    const [stored, last, mark] = await this.client.hmget(this.entriesKey, "\u{1}history", this.writerField, "\u{1}lost");
    const before = this.#history ?? stored ?? null;
    const first = this.#history === null;
    const refused = problems.length > 0 && this.#options.refuseProblems;
    // A refused server is compared again when its settings are corrected.
    if (refused) return;
    if (before !== null && before !== replicationId) {
      const certain = Number(last ?? 0) < this.#acknowledgedVersion;
      const promoted = formerReplicationId === before && this.#options.waitReplicas === 0;
      const replaced = stored !== before && stored !== replicationId;
      if (certain || promoted || replaced) {
        this.#lostVersion = versionOf(await runScript(this.client, HISTORY, [this.entriesKey], [replicationId, "lost"]));
        this.#history = replicationId;
        this.#options.onHistoryLost({ before, now: replicationId, certain, lostVersion: this.#lostVersion });
        return;
      }
    }
    this.#history = replicationId;
    if (first) this.#lostVersion = versionOf(mark);
    else this.heardOfLoss(versionOf(mark));
    // A server with problems may not be writable at all.
    if (problems.length === 0 && stored !== replicationId) await runScript(this.client, HISTORY, [this.entriesKey], [replicationId, ""]);
  }
}

/** The replication id of a mark. */
function historyOf(mark: string): string {
  return mark.slice(0, mark.indexOf(" "));
}

/** The version of a mark (lua/commit.lua, `\1lost`). */
function versionOf(mark: unknown): number {
  return typeof mark === "string" ? Number(mark.slice(mark.indexOf(" ") + 1)) : 0;
}

/** Without the command that ioredis attaches to its errors: its arguments contain the stored data. */
export function plain(error: unknown): Error {
  return new Error(error instanceof Error ? error.message : String(error));
}
