import type { RedisConnection } from "./redis-connection.ts";
import { loadScript, runScript } from "./redis-script.ts";

const SWEEP = loadScript("sweep");

/** Entries that one run of lua/sweep.lua looks at: some tenths of a ms. */
const SLICE_ENTRIES = 100;
/**
 * Slices per sweep. More than the minimum are used for a store in which many entries have expired. The minimum is a thousand entries a
 * second per node, a few milliseconds of Redis's time: ten million entries are checked within three hours, and entries live for months.
 */
const SLICES_MIN = 10;
const SLICES_MAX = 500;
const MUCH_EXPIRED = 0.1;
const WRITER_FORGOTTEN_US = 7 * 24 * 3_600 * 1_000_000;

/**
 * Walks over the whole store repeatedly, a part at each sweep, as Redis does with its own expiring keys. An index of expiries would cost
 * memory and a second sorted insert for every claim of a uuid, and expired entries already read as absent without it.
 */
export class RedisSweep {
  readonly #connection: RedisConnection;
  readonly #nowMs: (() => number) | null;
  #cursor = "0";

  constructor({ connection, nowMs }: { connection: RedisConnection; nowMs: (() => number) | null }) {
    this.#connection = connection;
    this.#nowMs = nowMs;
  }

  /** Answers how many it removed. */
  async run(): Promise<number> {
    const { client, entriesKey, indexKey } = this.#connection;
    let removed = 0;
    let seen = 0;
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      if (slice >= SLICES_MIN && removed < seen * MUCH_EXPIRED) break;
      const args = [this.#cursor, SLICE_ENTRIES, this.#nowMs?.() ?? "", WRITER_FORGOTTEN_US];
      const reply = await runScript(client, SWEEP, [entriesKey, indexKey], args);
      if (!Array.isArray(reply)) throw new Error("lua/sweep.lua answers with a list");
      this.#cursor = String(reply[0]);
      seen += Number(reply[1]);
      removed += Number(reply[2]);
      if (this.#cursor === "0") break;
    }
    return removed;
  }
}
