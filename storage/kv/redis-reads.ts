import { type CountRange, type Entry, type ScanRange, StorageUnavailable } from "../../engine/kernel/kv.ts";
import { type Asked, Batches } from "./redis-batches.ts";
import { plain, type RedisConnection } from "./redis-connection.ts";
import { readRedisEntry } from "./redis-entry.ts";
import { loadScript, runScript } from "./redis-script.ts";

const SCAN = loadScript("scan");

const IN_FLIGHT_MAX = 4;
const BATCH_KEYS_MAX = 2_000;
const PENDING_MAX = 50_000;
/** A page of a scan; short, so that Redis is soon free for others. */
const PAGE_ENTRIES_MAX = 500;
const PAGE_BYTES_MAX = 1_048_576;
const SCANS_IN_FLIGHT_MAX = 8;
const SCANS_PENDING_MAX = 1_000;

export interface RedisReadsOptions {
  connection: RedisConnection;
  monotonicMs(): number;
  deadlineMs: number;
  nowMs: (() => number) | null;
}

/** What Redis holds under some keys, and its time after it had read them. */
interface RawEntries {
  raws: (string | null)[];
  nowMs: number;
}

interface Page {
  entries: Entry[];
  /** The last key of the page, expired or not, when there may be more behind it. */
  moreAfter: string | null;
}

type PageRequest = Required<Omit<ScanRange, "from" | "to">> & { nearest: string; farthest: string };

/** Reads entries, all of a turn in one round trip, and ranges in pages. */
export class RedisReads {
  readonly #options: RedisReadsOptions;
  readonly #gets: Batches<readonly string[], RawEntries>;
  readonly #pages: Batches<PageRequest, Page>;
  readonly #counts: Batches<CountRange, number>;

  constructor(options: RedisReadsOptions) {
    this.#options = options;
    const { monotonicMs, deadlineMs } = options;
    const shared = { ready: () => options.connection.state === "ready", monotonicMs, deadlineMs };
    const oneByOne = { weight: () => 1, batchWeightMax: 1, inFlightMax: SCANS_IN_FLIGHT_MAX, pendingMax: SCANS_PENDING_MAX };
    this.#gets = new Batches({
      ...shared,
      send: (questions) => this.#send(questions),
      weight: (keys) => keys.length,
      batchWeightMax: BATCH_KEYS_MAX,
      inFlightMax: IN_FLIGHT_MAX,
      pendingMax: PENDING_MAX,
    });
    this.#pages = new Batches({
      ...shared,
      ...oneByOne,
      send: (questions) => Promise.all(questions.map(({ question }) => this.#page(question))),
    });
    this.#counts = new Batches({
      ...shared,
      ...oneByOne,
      send: (questions) => Promise.all(questions.map(({ question }) => this.#count(question))),
    });
  }

  get pending(): number {
    return this.#gets.pending + this.#pages.pending + this.#counts.pending;
  }

  async getMany(keys: readonly string[]): Promise<(Entry | null)[]> {
    const { raws, nowMs } = await this.#gets.ask(keys);
    return keys.map((key, index) => {
      const raw = raws[index] ?? null;
      return raw === null ? null : readRedisEntry(key, raw, nowMs);
    });
  }

  async scan({ from, to, limit, reverse = false }: ScanRange): Promise<Entry[]> {
    const entries: Entry[] = [];
    if (from >= to) return entries;
    let nearest = reverse ? `(${to}` : `[${from}`;
    const farthest = reverse ? `[${from}` : `(${to}`;
    for (;;) {
      const pageLimit = Math.min(limit - entries.length, PAGE_ENTRIES_MAX);
      const page = await this.#pages.ask({ nearest, farthest, reverse, limit: pageLimit });
      for (const entry of page.entries) entries.push(entry);
      if (page.moreAfter === null || entries.length >= limit) return entries;
      nearest = `(${page.moreAfter}`;
    }
  }

  async count(range: CountRange): Promise<number> {
    return range.from >= range.to ? 0 : this.#counts.ask(range);
  }

  flush(): void {
    for (const batches of this.#all()) batches.flush();
  }

  expire(): void {
    for (const batches of this.#all()) batches.expire();
  }

  rejectWaiting(reason: string): void {
    for (const batches of this.#all()) batches.rejectWaiting(reason);
  }

  async close(): Promise<void> {
    await Promise.all(this.#all().map((batches) => batches.close()));
  }

  #all() {
    return [this.#gets, this.#pages, this.#counts];
  }

  async #send(questions: readonly Asked<readonly string[]>[]): Promise<RawEntries[]> {
    const { connection, nowMs } = this.#options;
    const keys: string[] = [];
    for (const { question } of questions) for (const key of question) keys.push(key);
    // The time comes after the values: an entry that is expired by it was expired when the reply was created.
    const answers = await connection.client.pipeline([["hmget", connection.entriesKey, ...keys], ["time"]]).exec();
    const raws = answerOf(answers, 0);
    const [seconds, microseconds] = answerOf(answers, 1);
    const atMs = nowMs?.() ?? Number(seconds) * 1_000 + Math.floor(Number(microseconds) / 1_000);
    let start = 0;
    return questions.map(({ question }) => {
      const own = raws.slice(start, start + question.length).map((raw) => (typeof raw === "string" ? raw : null));
      start += question.length;
      return { raws: own, nowMs: atMs };
    });
  }

  async #page({ nearest, farthest, reverse, limit }: PageRequest): Promise<Page> {
    const { connection, nowMs } = this.#options;
    const args = [nearest, farthest, reverse ? "reverse" : "", limit, PAGE_BYTES_MAX];
    let reply: unknown;
    try {
      reply = await runScript(connection.client, SCAN, [connection.entriesKey, connection.indexKey], args);
    } catch (error) {
      throw new StorageUnavailable("the store could not read", { cause: plain(error) });
    }
    if (!Array.isArray(reply)) throw new Error("lua/scan.lua answers with a list");
    const [redisMs, more] = reply;
    const atMs = nowMs?.() ?? Number(redisMs);
    const entries: Entry[] = [];
    for (let index = 2; index < reply.length; index += 2) {
      const entry = readRedisEntry(String(reply[index]), String(reply[index + 1]), atMs);
      if (entry !== null) entries.push(entry);
    }
    return { entries, moreAfter: more === 1 && reply.length > 2 ? String(reply.at(-2)) : null };
  }

  /** The index has ranks, so Redis does not count the entries one by one. */
  async #count({ from, to, limit }: CountRange): Promise<number> {
    const { connection } = this.#options;
    try {
      return Math.min(await connection.client.zlexcount(connection.indexKey, `[${from}`, `(${to}`), limit);
    } catch (error) {
      throw new StorageUnavailable("the store could not read", { cause: plain(error) });
    }
  }
}

function answerOf(answers: [error: Error | null, result: unknown][] | null, index: number): unknown[] {
  const [error, result] = answers?.[index] ?? [new Error("no answer"), null];
  if (error !== null) throw new StorageUnavailable("the store could not read", { cause: plain(error) });
  if (!Array.isArray(result)) throw new Error("Redis returned something other than a list");
  return result;
}
